/** What a report says about a study is so. */
import { describe, expect, it } from 'vitest'
import { buildReport } from '../../src/report/build.ts'
import type { StudyInput } from '../../src/report/input.ts'
import type { TrialRecord } from '../../src/store/records.ts'
import { fixtureStudy, fixtureTrials } from '../support/fixture-trials.ts'
import { visibleText } from './document.ts'
import { inputOf, NO_RUNTIME, sectionOf } from './sections.ts'

function textOf(section: StudyInput): string {
  return visibleText(buildReport(inputOf(section), NO_RUNTIME))
}

/** The trial with some of its metrics replaced. */
function withMetrics(
  trial: TrialRecord,
  changes: (trial: TrialRecord) => Partial<TrialRecord['metrics']>,
): TrialRecord {
  return trial.metrics === null ? trial : { ...trial, metrics: { ...trial.metrics, ...changes(trial) } }
}

describe('which parameters matter', () => {
  const gaps = fixtureTrials().filter(({ config }) => config.dcaMaxSafetyOrders / 2 + config.takeProfit < 5)

  it('on a grid with gaps, effects that only add up explain everything, and nothing is said to remain', () => {
    const trials = gaps.map((trial) =>
      withMetrics(trial, ({ config }) => ({ netProfit: 7 * config.takeProfit - 3 * config.dcaMaxSafetyOrders })),
    )
    const text = textOf(sectionOf(fixtureStudy(), { trials }))
    expect(text).toContain('all of them 100.0 % (R²).')
    expect(text).not.toMatch(/The remaining|overlap/)
  })

  it('says nothing where the trials are too few to tell effects from chance', () => {
    const one = fixtureTrials(fixtureStudy({ axes: [{ field: 'takeProfit', values: [1, 2, 3] }] }))
    const text = textOf(sectionOf(fixtureStudy(), { trials: one }))
    expect(text).toContain('No data: 3 trials cannot tell 2 effects of the parameters’ values from chance.')
  })
})
