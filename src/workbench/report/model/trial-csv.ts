/** Trials as CSV, with every column and every digit. Pure. */
import { CONFIG_FIELDS } from '../../../contract/bot.ts'
import { METRIC_NAMES } from '../../../contract/metrics.ts'
import { csvCell } from '../../store/export/text.ts'
import type { PageSection } from './document.ts'
import type { TrialTable } from './trial-table.ts'

/** RFC 4180: a line of names, then one line per trial, each ended by CR LF; what is not known is empty. */
export function trialCsv(section: Pick<PageSection, 'study' | 'market'>, table: TrialTable, mask: Uint8Array): string {
  const numbers = [...CONFIG_FIELDS, ...METRIC_NAMES]
  const lines: unknown[][] = [['study', 'market', 'rank', 'standing', 'fingerprint', 'sampleSize', ...numbers]]
  for (let trial = 0; trial < table.count; trial++) {
    if (mask[trial] === 0) continue
    lines.push([
      section.study,
      section.market,
      table.rank(trial),
      table.standing(trial),
      table.fingerprint(trial),
      table.sampleSize(trial),
      ...numbers.map((name) => table.number(trial, name)),
    ])
  }
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}
