/** Answers that are held whole have a limit: more rows are a mistake, or should be streamed. */
import { Failure } from '../../../errors.ts'

const rowLimit = 100_000

/** @throws Failure sqlInvalid */
export function refuseMoreRows(count: number): void {
  if (count <= rowLimit) return
  throw new Failure('sqlInvalid', `More than ${rowLimit.toLocaleString('en')} rows`, {
    hint: 'add `limit`; --csv, --ndjson and --line have no limit',
  })
}
