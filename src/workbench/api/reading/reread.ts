/** A reply that was kept is read once more, by the rules now in force: no request, and nothing of it is paid for again. */

import { parseLossless } from '../lossless-json.ts'
import type { Dialect } from './dialect.ts'
import { readJobBody } from './read-job.ts'
import type { JobReading } from './readings.ts'

/** `text`: a job's `rawText` as it was kept. Never throws, whatever the text or the dialect. */
export function rereadJob(
  text: string,
  dialect: Dialect,
): { readonly reading: JobReading } | { readonly problem: string } {
  const json = parseLossless(text)
  if (json === undefined) return { problem: 'it is not JSON' }
  try {
    const reading = readJobBody(dialect.job(json.value), text, dialect.jobState)
    return reading === null ? { problem: 'no job with a usable id is found in it' } : { reading }
  } catch (error) {
    return { problem: `reading it failed: ${error instanceof Error ? error.message : String(error)}` }
  }
}
