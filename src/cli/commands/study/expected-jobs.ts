/** What running a study would ask of a service: its trials as far as they are known beforehand, and how many jobs there will be at most. */
import { type StudySurvey, surveyDrawn, surveyStudy } from '../../../workbench/analysis/warnings/find-in-study.ts'
import { drawConfigs } from '../../../workbench/search/draw-configs.ts'
import { readProposals } from '../../../workbench/store/kept-proposals.ts'
import type { Spender } from '../../../workbench/store/services.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { mostConfigs, type Study, type Trial } from '../../../workbench/study/study.ts'
import { planTrials, trialsOfConfig } from '../../../workbench/study/trials.ts'

export interface ExpectedJobs {
  readonly survey: StudySurvey
  /** Configurations at most; 0 where there are too many to run. */
  readonly configs: number
  /** Their jobs: one on every market. */
  readonly jobs: number
  /** Of a screen, those that it has proposed before on this service. */
  trials(store?: Store, spender?: Spender): readonly Trial[]
}

/** @param onPoints told now and then how many points of a grid have been counted */
export function expectJobs(study: Study, onPoints?: (done: number) => void): ExpectedJobs {
  const { search, markets } = study
  if (search.method === 'random' || search.method === 'sobol') {
    const drawn = drawConfigs(study, { by: search.method, count: search.configs, seed: search.seed })
    const configs = drawn.configs.map(({ config }) => config)
    const trials = configs.flatMap((config) => trialsOfConfig(study, config))
    return { survey: surveyDrawn(study, configs), configs: configs.length, jobs: trials.length, trials: () => trials }
  }
  const survey = surveyStudy(study, onPoints)
  if (search.method === 'grid') {
    const trials = survey.tooManyToRun ? [] : planTrials(study).trials
    const configs = survey.tooManyToRun ? 0 : survey.distinct
    return { survey, configs, jobs: trials.length, trials: () => trials }
  }
  // What the others propose depends on what comes of it.
  const configs = Math.min(mostConfigs(search) ?? survey.distinct, survey.distinct)
  return { survey, configs, jobs: configs * markets.length, trials: proposedBefore }

  function proposedBefore(store?: Store, spender?: Spender): readonly Trial[] {
    if (store === undefined || spender === undefined) return []
    const proposed = readProposals(store, { study, ...spender }).flatMap(({ trials }) => trials)
    return [...new Map(proposed.map((trial) => [trial.fingerprint, trial])).values()]
  }
}
