/**
 * The table of who uses which field of a study is true: each consumer is handed a study that notes what is looked at. Leaderboard and
 * promote read their study from the store; they hold it as a `StudyFor`, in which an ignored field does not exist.
 */

import { expect, it } from 'vitest'
import { describeFolds, describeQuestion } from '../../../src/cli/commands/study/check.ts'
import { surveyStudyCandles } from '../../../src/cli/local-candles.ts'
import { surveyStudy } from '../../../src/workbench/analysis/warnings/find-in-study.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { answerScreen } from '../../../src/workbench/screen/answer-screen.ts'
import { planChunks } from '../../../src/workbench/screen/chunks.ts'
import { type Consumer, FIELD_NAMES, FIELDS } from '../../../src/workbench/study/fields.ts'
import { askedSettings, planTrials } from '../../../src/workbench/study/parse.ts'
import type { Objective, Study } from '../../../src/workbench/study/study.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { fixtureStudy } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { buildReport } from '../report/build-report.ts'
import { inputOf, NO_RUNTIME, SMALL_AXES, sectionOf } from '../report/sections.ts'
import { makeWorld } from '../run/setup.ts'
import { someScreenCase } from '../screen/cases.ts'

type Watch = (study: Study) => Study

const noCandles = temporaryFolder()

const RICHEST: Objective = { direction: 'maximize', metric: 'netProfit', where: [] }

const WATCHED: Readonly<Record<Exclude<Consumer, 'leaderboard' | 'promote'>, (watch: Watch) => unknown>> = {
  check: (watch) => {
    const study = watch(fixtureStudy())
    askedSettings(study)
    describeFolds(study)
    describeQuestion(study, surveyStudyCandles(noCandles, study))
    return surveyStudy(study)
  },
  run: (watch) => {
    const study = watch(
      fixtureStudy({
        axes: SMALL_AXES.map(({ field, values }) => ({ field, values: values.slice(0, 1) })),
        base: { ...fixtureStudy().base, dcaPriceScalePercent: 1 },
      }),
    )
    const { system, store, service } = makeWorld()
    return runStudy({ system, store, client: service, study, trials: planTrials(study).trials })
  },
  screen: (watch) => {
    const { setting, inputs } = someScreenCase(createDice(5), RICHEST)
    const study = watch({ ...setting.study, where: [{ measure: 'safetyOrders', bounds: { min: 0 } }] })
    surveyStudyCandles(noCandles, study) // loads them by the same fields
    const portions = planChunks(study, inputs[0].candles.close.length)
    const answer = answerScreen({ ...setting, study, chunks: portions })
    answer({ kind: 'chunk', depth: 'profit', from: 0, to: 1, floor: null })
    return answer({ kind: 'measure', indices: [0] })
  },
  report: (watch) => {
    const study = watch(fixtureStudy())
    buildReport(inputOf(sectionOf(study)), NO_RUNTIME)
    return buildReport(inputOf(sectionOf(study, { trials: [] })), NO_RUNTIME)
  },
}

it.each(Object.entries(WATCHED))('%s looks at the fields it says it uses, and at no other', async (who, use) => {
  const { watch, seen } = watcher()
  await use(watch)
  const consumer = who as Consumer // keys of the record above
  expect(FIELD_NAMES.filter((field) => seen.has(field))).toEqual(
    FIELD_NAMES.filter((field) => FIELDS[field].consumers[consumer] === true),
  )
})

/** A copy of the whole study, such as the store keeps, looks at none of its fields; JavaScript asks for each field's descriptor before copying it. */
function watcher(): { readonly watch: Watch; readonly seen: ReadonlySet<PropertyKey> } {
  const seen = new Set<PropertyKey>()
  let copied: PropertyKey | undefined
  const handler: ProxyHandler<Study> = {
    getOwnPropertyDescriptor: (study, key) => {
      copied = key
      return Reflect.getOwnPropertyDescriptor(study, key)
    },
    get: (study, key): unknown => {
      if (key !== copied) seen.add(key)
      copied = undefined
      return Reflect.get(study, key)
    },
  }
  return { watch: (study) => new Proxy(study, handler), seen }
}

it('whoever ignores a field says why', () => {
  const reasons = FIELD_NAMES.flatMap((field) => Object.values(FIELDS[field].consumers)).filter((use) => use !== true)
  expect(reasons.filter((reason) => reason.length < 10)).toEqual([])
})
