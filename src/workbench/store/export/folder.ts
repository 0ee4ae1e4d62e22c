/**
 * A folder of Parquet files that DuckDB, pandas, Polars and R read as one data set: a file for each view, of views of results for each view and
 * study. Each file is there whole or not at all. A folder belongs to one store, whose runs write the files of their study anew.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../../../errors.ts'
import { allRows, runBuilt } from '../../../sqlite/statements.ts'
import { type Store, write } from '../store.ts'
import { query, type RowOf } from '../tables.ts'
import { VIEW_ROWS } from '../views.ts'
import { writeWhole } from '../whole-file.ts'
import { inOneState } from './view-rows.ts'

/** Large views, in which a run changes the rows of its study, and of those that share trials with it. */
const OF_RESULTS = ['answers', 'results', 'trials', 'parameters', 'deals', 'equity_daily', 'monthly_returns']
const WHOLE = Object.keys(VIEW_ROWS).filter((view) => !OF_RESULTS.includes(view))

/** Says whose the folder is. */
const OWNER = 'dcalab.json'
const SCRIPT = 'load.sql'

interface Work {
  readonly showProgress: (text: string) => void
  readonly signal: AbortSignal
}

interface FolderRequest extends Work {
  readonly path: string
  /** Results of the service of this identity alone; absent = of each study the service that is shown. */
  readonly identity?: string
  /** Of every service and revision. */
  readonly all: boolean
}

interface FolderReport {
  readonly path: string
  /** Written now. */
  readonly files: number
  readonly rows: number
}

/**
 * Writes all files; from now on runs keep them up to date.
 * @throws Failure usage for a folder that holds something else, notFound for a store without studies, storeUnusable; the signal's reason
 */
export async function exportFolder(
  store: Store,
  { path, identity, all, ...work }: FolderRequest,
): Promise<FolderReport> {
  const folder = { path: resolve(path), identity: identity ?? null, every_service: all ? 1 : 0 }
  refuseOther(store, folder.path)
  if (studiesOf(store).length === 0) throw new Failure('notFound', `${store.path} holds no study to export`)
  mkdirSync(folder.path, { recursive: true })
  const owner = `${JSON.stringify({ store: realpathSync(store.path) })}\n`
  await writeText(store, join(folder.path, OWNER), owner) // first: an export that was interrupted is one
  const report = await writeFiles(store, folder, { study: null, ...work })
  await write(store, () => runBuilt(store.db, query.replaceInto('export_folder').values(folder)))
  return report
}

/**
 * After a run of `study`: its files in every folder of the store, and those of views that are not by study.
 * `gone`: folders that are not there any more, or another store's; they are forgotten. @throws Failure storeUnusable; the signal's reason
 */
export async function refreshFolders(
  store: Store,
  { study, ...work }: Work & { readonly study: string },
): Promise<{ readonly written: readonly FolderReport[]; readonly gone: readonly string[] }> {
  const folders = allRows(store.db, query.selectFrom('export_folder').selectAll())
  const isOurs = ({ path }: Folder) => ownerOf(path) === realpathSync(store.path)
  const gone = folders.filter((folder) => !isOurs(folder)).map(({ path }) => path)
  if (gone.length > 0) {
    await write(store, () => runBuilt(store.db, query.deleteFrom('export_folder').where('path', 'in', gone)))
  }
  const written: FolderReport[] = []
  for (const folder of folders.filter(isOurs)) written.push(await writeFiles(store, folder, { study, ...work }))
  return { written, gone }
}

type Folder = RowOf<'export_folder'>

/** `study`: whose files are written; null = all. Files that a crash left out, or of a study that is new, are written too. */
async function writeFiles(
  store: Store,
  { path, identity, every_service }: Folder,
  { study, showProgress, signal }: Work & { readonly study: string | null },
): Promise<FolderReport> {
  const { exportView } = await import('./export.ts') // every run asks whether there are folders; most have none, and write no Parquet
  const known = filesIn(path)
  const all = filesOf(studiesOf(store))
  const touched = study === null ? null : new Set([study, ...withTrialsOf(store, study)])
  const wanted = all.filter(
    (one) => touched === null || one.study === undefined || touched.has(one.study) || !known.includes(one.file),
  )
  // First, so that rows of a study that was renamed are never there twice.
  for (const file of known) if (!all.some((one) => one.file === file)) rmSync(join(path, file), { force: true })
  const written = await inOneState(store, async () => {
    let rows = 0
    for (const [at, { view, study, file }] of wanted.entries()) {
      showProgress(`file ${at + 1} of ${wanted.length}: ${file}`)
      mkdirSync(join(path, view), { recursive: true })
      const report = await exportView(store, {
        ...{ view, path: join(path, file), force: true, all: every_service === 1, signal, showProgress: () => {} },
        byPayer: true, // all files of a view are read as one
        ...(study === undefined ? {} : { study }),
        ...(identity === null || !Object.hasOwn(VIEW_ROWS[view].columns, 'identity') ? {} : { identity }),
      })
      rows += report.rows
    }
    return rows
  })
  await writeText(store, join(path, SCRIPT), scriptOf(all.map(({ view }) => view)))
  return { path, files: wanted.length, rows: written }
}

/** The studies that share a trial with this one. */
function withTrialsOf(store: Store, study: string): readonly string[] {
  const own = query.selectFrom('study_trial').select('fingerprint').where('study', '=', study)
  const sharing = query.selectFrom('study_trial').select('study').distinct().where('fingerprint', 'in', own)
  return allRows(store.db, sharing).map((row) => row.study)
}

interface PlannedFile {
  readonly view: string
  readonly study?: string
  readonly file: string
}

/** Names of studies are names of files. */
function filesOf(studies: readonly string[]): readonly PlannedFile[] {
  return [
    ...OF_RESULTS.flatMap((view) => studies.map((study) => ({ view, study, file: `${view}/${study}.parquet` }))),
    ...WHOLE.map((view) => ({ view, file: `${view}/all.parquet` })),
  ]
}

function scriptOf(views: readonly string[]): string {
  const lines = [...new Set(views)].map(
    (view) => `create or replace view ${view} as from read_parquet('${view}/*.parquet');`,
  )
  return ['-- In this folder: duckdb -init load.sql', '-- What each column means: from column_doc', ...lines, ''].join(
    '\n',
  )
}

function studiesOf({ db }: Store): readonly string[] {
  return allRows(db, query.selectFrom('study').select('name').distinct().orderBy('name')).map(({ name }) => name)
}

/** Of views, as far as they are whole. */
function filesIn(path: string): readonly string[] {
  return [...OF_RESULTS, ...WHOLE].flatMap((view) =>
    existsSync(join(path, view))
      ? readdirSync(join(path, view)).flatMap((name) => (name.endsWith('.parquet') ? [`${view}/${name}`] : []))
      : [],
  )
}

/** Path of the store that a folder is an export of; undefined = it is none. */
function ownerOf(path: string): string | undefined {
  try {
    const { store }: { readonly store?: unknown } = JSON.parse(readFileSync(join(path, OWNER), 'utf8'))
    return typeof store === 'string' ? store : undefined
  } catch {
    return undefined // there is no such file, or it is something else
  }
}

/** @throws Failure usage */
function refuseOther(store: Store, path: string): void {
  if (!existsSync(path)) return
  const owner = ownerOf(path)
  const hint = 'name a new folder'
  if (owner === undefined && readdirSync(path).length > 0) {
    throw new Failure('usage', `${path} holds files that are not of an export, and was left as it is`, { hint })
  }
  if (owner !== undefined && owner !== realpathSync(store.path)) {
    throw new Failure('usage', `${path} is an export of ${owner}, and was left as it is`, { hint })
  }
}

function writeText(store: Store, path: string, text: string): Promise<void> {
  return writeWhole({ path, setting: '--out' }, { force: true, store: store.path }, (part) => writeFileSync(part, text))
}
