/** Reads a stored reply again with the present rules. It needs no request and spends nothing. */

import { parseLossless } from '../lossless-json.ts'
import type { Dialect } from './dialect.ts'
import { readJobBody } from './read-job.ts'
import type { JobReading } from './readings.ts'

/** `text`: a job's `rawText` as it was stored. Never throws, whatever the text or the dialect. */
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
