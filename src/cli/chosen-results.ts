/** The results that a command is asked about: the best of a study, on each of its markets, or a configuration’s; and the options that choose among several. */
import type { Command } from 'commander'
import { marketName } from '../contract/market.ts'
import type { Choice } from '../workbench/bots/promote/choose-trial.ts'
import type { ServiceQuestion } from '../workbench/store/choose-service.ts'
import type { ResultChoice } from '../workbench/store/find-trial.ts'
import type { StudyRecord, TrialRecord } from '../workbench/store/records.ts'
import type { Store } from '../workbench/store/store.ts'
import type { KeptVerdict } from '../workbench/store/verdicts.ts'
import { option, whole } from './option.ts'
import { type ShownService, serviceOfTrials, shownService, withServiceOption } from './shown-service.ts'

export function withResultChoice(command: Command): Command {
  return withServiceOption(
    command
      .addOption(option('--study <name>', 'choose the result of this study'))
      .addOption(whole('--revision <n>', 'choose the result of this revision of --study', { minimum: 1 }))
      .addOption(option('--settings <digits>', 'choose the result with these settings (none: without)')),
  )
}

/** What every command says of its argument. */
export const ID_WORDS = 'its id, such as 46330614, or with a market: 46330614@ETH-USDT'

export function choiceOf({ settings, service, study, revision }: ResultChoice): ResultChoice {
  return {
    ...(settings === undefined ? {} : { settings }),
    ...(service === undefined ? {} : { service }),
    ...(study === undefined ? {} : { study }),
    ...(revision === undefined ? {} : { revision }),
  }
}

export interface Chosen {
  readonly choice: Choice
  /** The study that was asked for, whose other configurations it is compared with; null = a trial by itself. */
  readonly asked: StudyRecord | null
}

/** @throws Failure notFound, usage, promotionRefused */
export async function chooseTrials(
  store: Store,
  target: string,
  { market, question, ...options }: ResultChoice & { readonly market?: string; readonly question: ServiceQuestion },
): Promise<readonly Chosen[]> {
  const [{ chooseBest, chooseTrial }, { findStudy }, { storedStudy }] = await Promise.all([
    import('../workbench/bots/promote/choose-trial.ts'),
    import('../workbench/store/study-records.ts'),
    import('../workbench/store/stored-study.ts'),
  ])
  const record = findStudy(store, target)
  if (record === undefined) {
    return [{ choice: chooseTrial(store, target, { choice: choiceOf(options), market }), asked: null }]
  }
  const { markets } = storedStudy(record, { file: `${target} (as stored)` })
  const names = market === undefined && markets.length > 1 ? markets.map(marketName) : [market]
  return names.map((name) => ({
    choice: chooseBest(store, record, { market: name, service: question }),
    asked: record,
  }))
}

/** The latest verdict on a configuration's results on all of its markets, the worst of them; undefined where one was not judged. */
export async function lastVerdictOn(
  store: Store,
  trials: readonly Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings' | 'market'>[],
): Promise<KeptVerdict | undefined> {
  const { findVerdict } = await import('../workbench/store/verdicts.ts')
  const [first, ...rest] = trials.flatMap((trial) => {
    const verdict = findVerdict(store, { trial })
    return verdict === undefined ? [] : [{ market: marketName(trial.market), verdict }]
  })
  if (first === undefined || rest.length + 1 < trials.length) return undefined
  if (rest.length === 0) return first.verdict
  const { worstOf } = await import('../workbench/verdict/judge.ts')
  return worstOf([first, ...rest]).verdict
}

export async function serviceOfChoices(
  store: Store,
  { choices, question }: { readonly choices: readonly Chosen[]; readonly question: ServiceQuestion },
): Promise<ShownService | null> {
  const record = choices.at(0)?.asked ?? null
  if (record === null)
    return serviceOfTrials(
      store,
      choices.map(({ choice }) => choice.trial),
    )
  const { countStudies } = await import('../workbench/store/study-counts.ts')
  const { revisionName } = await import('../workbench/store/study-records.ts')
  const [count] = countStudies(store, { study: revisionName(record), ...question })
  return shownService(count, question)
}
