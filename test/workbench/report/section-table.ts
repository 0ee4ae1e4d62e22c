/** The trials of a section as the page's script has them: packed, unpacked, and asked. */
import { inflateRawSync } from 'node:zlib'
import { type DcaSpotConfig, ID_DIGITS } from '../../../src/contract/bot.ts'
import { embedSection } from '../../../src/workbench/report/embed.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { unpackTrials } from '../../../src/workbench/report/model/blocks.ts'
import { createTrialTable } from '../../../src/workbench/report/model/trial-table.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'

export function deskTable(input: StudyInput) {
  const { section, blocks } = embedSection(readFacts(input), '')
  const block = blocks.find(({ id }) => id === section.trials.block)
  if (block === undefined) throw new Error('the section has no block of trials')
  const bytes = inflateRawSync(block.bytes)
  const { count, columns } = section.trials
  return { section, table: createTrialTable(section, unpackTrials(bytes, count, columns)) }
}

/** By which the page knows a trial of a study in which no two begin alike. */
export function idOf({ config }: { readonly config: DcaSpotConfig }): string {
  return configFingerprint(config).slice(0, ID_DIGITS)
}
