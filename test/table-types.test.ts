/** The types that kysely checks statements by are those of the schema: `-u` writes them. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MIGRATIONS as SERVICE_MIGRATIONS } from '../src/service/database.ts'
import { projectRoot } from './support/dcalab.ts'
import { storeTableTypes, tableTypes } from './support/table-types.ts'

it('the types of the service’s tables are those of its schema', async () => {
  const text = tableTypes(SERVICE_MIGRATIONS)
  await expect(text).toMatchFileSnapshot(join(projectRoot, 'src/service/table-types.ts'))
})

it('the types of the store’s tables are those of its schema', async () => {
  await expect(storeTableTypes()).toMatchFileSnapshot(join(projectRoot, 'src/workbench/store/table-types.ts'))
})
