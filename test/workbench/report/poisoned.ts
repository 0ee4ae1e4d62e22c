import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { failedTrial, smallSection } from './sections.ts'

/** `text` in every field that someone else may have written. */
export function poisoned(text: string): StudyInput {
  const section = smallSection()
  const market = { exchange: text, baseAsset: text, quoteAsset: text }
  const trials = section.trials.map((trial, index) => {
    if (index === 0) return { ...failedTrial(trial, text), market, identity: text, jobId: text }
    return {
      ...trial,
      market,
      identity: text,
      jobId: text,
      metricFlags: { sharpe: text, [text]: text },
      candles: { interval: text, count: 1, missing: index, hash: text, synthetic: true },
      conventions: { [text]: text, nested: { [text]: [text] } },
    }
  })
  return {
    ...section,
    study: { ...section.study, name: text, fingerprint: text, markets: [market], source: text },
    market,
    identity: text,
    otherIdentities: [text],
    spending: { requests: 1, attempts: 1, refused: 1, firstSubmittedAt: text, lastFinishedAt: text },
    hold: section.hold.kind === 'found' ? { ...section.hold, interval: text, hash: text } : section.hold,
    trials,
  }
}
