/** `dcalab report`: reads, builds, and renames the finished file to its name, so that nobody ever sees a part of it. */
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import type { System } from '../../system.ts'
import type { Store } from '../store/store.ts'
import { buildReport } from './build.ts'
import { type GatherRequest, gatherStudy } from './gather.ts'
import type { CandleChoice } from './input.ts'
import { readPageRuntime } from './runtime.ts'

export interface ReportRequest {
  readonly system: System
  readonly store: Store
  /** Names of studies in the store, at least one; a name given twice counts once. */
  readonly studies: readonly string[]
  readonly candlesFolder: string
  readonly candles: CandleChoice
  readonly findKnown: GatherRequest['findKnown']
  readonly reportsFolder: string
  /** Where to write instead of `<reportsFolder>/<study>.html`; its folder must exist. */
  readonly out?: string
}

export interface WrittenReport {
  readonly path: string
  readonly bytes: number
  /** Trials in the report, whatever their state. */
  readonly trials: number
}

/**
 * One HTML file that needs nothing else.
 * @throws Failure usage without a study, for an invalid name or a place that cannot be written; notFound for a study that is not
 * in the store
 */
export async function writeReport(request: ReportRequest): Promise<WrittenReport> {
  const { system, store, candlesFolder, candles, findKnown, reportsFolder, out } = request
  const studies = [...new Set(request.studies)]
  const path = out ?? join(reportsFolder, `${reportName(studies)}.html`)
  const makesFolder = resolve(dirname(path)) === resolve(reportsFolder)
  if (!makesFolder) requireFolder(path)
  const ofStudies = studies.map((name) => gatherStudy(store, name, { candlesFolder, embedded: candles, findKnown }))
  const sections = ofStudies.flat()
  const text = buildReport({ madeAt: system.clock.wall(), sections }, readPageRuntime())
  const bytes = Buffer.from(text, 'utf8')
  replaceFile(path, bytes, { system, makesFolder })
  return { path, bytes: bytes.length, trials: ofStudies.reduce((sum, [{ trials }]) => sum + trials.length, 0) }
}

/** A study's, with or without the number of a revision. */
const safeName = /^[a-z0-9][a-z0-9-]{0,63}(@[1-9][0-9]{0,8})?$/
/** Device names of Windows: a file of that name cannot be made there, whatever its extension. */
const reservedName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/

/**
 * The file name of a report, without extension: the name of the study, or those of several joined. No other text becomes a path.
 * @throws Failure usage
 */
export function reportName(studies: readonly string[]): string {
  if (studies.length === 0) throw new Failure('usage', 'expected the name of at least one study, found none')
  for (const name of studies) {
    if (!safeName.test(name) || reservedName.test(name)) {
      throw new Failure('usage', `expected a study name (a–z, 0–9 and -, at most 64), found ${JSON.stringify(name)}`)
    }
  }
  const joined = studies.join('-and-')
  return safeName.test(joined) ? joined : `${studies[0].slice(0, 40)}-and-${studies.length - 1}-more`
}

/** A missing folder that the user named is probably an unmounted disk or a typing error. Checked before the report is computed. */
function requireFolder(path: string): void {
  const folder = dirname(path)
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  } catch (error) {
    throw cannotWrite(path, error)
  }
  throw new Failure('usage', `cannot write the report to ${path}: there is no folder ${folder}`, {
    hint: 'mount its disk, make the folder (mkdir -p), or name another place with --out',
  })
}

/** Writes beside the target, then renames: an old report stays complete until the new one is. A link at the target is replaced and not followed. */
function replaceFile(
  path: string,
  bytes: Uint8Array,
  { system, makesFolder }: { readonly system: System; readonly makesFolder: boolean },
): void {
  const temporary = `${path}.${Buffer.from(system.randomBytes(6)).toString('hex')}.tmp`
  try {
    if (makesFolder) mkdirSync(dirname(path), { recursive: true })
    writeFileSync(temporary, bytes, { flag: 'wx' })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw cannotWrite(path, error)
  }
}

function cannotWrite(path: string, error: unknown): Failure {
  return new Failure('usage', `cannot write the report to ${path}: ${error instanceof Error ? error.message : error}`, {
    cause: error,
    hint: 'name another place with --out',
  })
}
