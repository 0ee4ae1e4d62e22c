/** The types that kysely checks statements by are those of the schema: `-u` writes them. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DealBody } from '../src/contract/bodies.ts'
import { MIGRATIONS as SERVICE_MIGRATIONS } from '../src/service/schema.ts'
import { MIGRATIONS } from '../src/workbench/store/migrate.ts'
import type { TrialState } from '../src/workbench/store/records.ts'
import { projectRoot } from './support/dcalab.ts'
import { tableTypes } from './support/table-types.ts'

/** Those of no check: a table of deals is too large to be made anew for one, and those of counts come from a view. */
const EXITS: Readonly<Record<DealBody['exit'], true>> = { takeProfit: true, stopLoss: true }
const STATES: Readonly<Record<TrialState, true>> = {
  ...{ planned: true, submitting: true, unknown: true, running: true, done: true },
  ...{ failed: true, stalled: true, gone: true, parked: true },
}

it('the types of the service’s tables are those of its schema', async () => {
  const text = tableTypes(SERVICE_MIGRATIONS)
  await expect(text).toMatchFileSnapshot(join(projectRoot, 'src/service/table-types.ts'))
})

it('the types of the store’s tables are those of its schema', async () => {
  const text = tableTypes(MIGRATIONS, { 'deal.exit': Object.keys(EXITS), 'study_count.state': Object.keys(STATES) })
  await expect(text).toMatchFileSnapshot(join(projectRoot, 'src/workbench/store/table-types.ts'))
})
