/** Reads `dcalab.yaml` of the working folder, where there is one: nothing of it is loaded otherwise. */
import { existsSync } from 'node:fs'
import { Failure } from '../errors.ts'
import type { FolderDefaults } from '../workbench/study/defaults-file.ts'
import { readInput } from './input.ts'
import { leadsOut } from './settings.ts'

const DEFAULTS_FILE = 'dcalab.yaml'

/** @throws Failure configInvalid for what such a file may not say, with its place; also where a link leads a path out of the folder */
export async function readFolderDefaults(): Promise<FolderDefaults> {
  if (!existsSync(DEFAULTS_FILE)) return {}
  const { parseDefaults } = await import('../workbench/study/defaults-file.ts')
  const defaults = parseDefaults(readInput(DEFAULTS_FILE), { file: DEFAULTS_FILE })
  const { store, candles } = defaults
  const problems = Object.entries({ store, candles })
    .filter(([, path]) => path !== undefined && leadsOut(path))
    .map(([name, path]) => ({
      place: `${DEFAULTS_FILE} ${name}`,
      message: `"${path}" leads out of this folder through a link`,
    }))
  if (problems.length === 0) return defaults
  throw new Failure('configInvalid', `${DEFAULTS_FILE} cannot be used`, {
    problems,
    hint: 'set DCALAB_STORE or DCALAB_CANDLES in the environment instead',
  })
}
