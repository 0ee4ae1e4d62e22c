/**
 * Settings, read once: a flag wins over the environment, the environment over `.env`, `.env` over the defaults of the folder (`dcalab.yaml`), these over
 * our own. `.env` is parsed
 * and never put into the environment; only its `DCALAB_*` names are used.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { Failure, type Problem } from '../errors.ts'
import { Keys } from '../workbench/api/wire/keys.ts'
import type { ArrayTask } from '../workbench/screen/parts/part-number.ts'
import type { FolderDefaults } from '../workbench/study/defaults-file.ts'

/** The `.env` of the working directory: its text and its permission bits. */
export interface DotEnvFile {
  readonly text: string
  /** Absent = the system has none of this kind. */
  readonly mode?: number
}

export interface Settings {
  /** undefined = start the embedded service in this process. */
  readonly baseUrl: string | undefined
  readonly keys: Keys | undefined
  /** A second pair that only `promote` and `bots` use; falls back to `keys`. */
  readonly tradeKeys: Keys | undefined
  readonly userEmail: string | undefined
  readonly store: string
  readonly serviceStore: string
  readonly candlesFolder: string
  readonly dialect: string | undefined
  /** Folder of the locks that hold across stores; undefined = beside the store. */
  readonly stateFolder: string | undefined
  /** Which task of a scheduler's array this process is; mostly none. */
  readonly arrayTasks: readonly ArrayTask[]
}

/** Every variable we read; the guide's table is tested against this list. */
export const SETTING_VARIABLES = [
  'DCALAB_BASE_URL',
  'DCALAB_API_KEY',
  'DCALAB_SECRET_KEY',
  'DCALAB_TRADE_API_KEY',
  'DCALAB_TRADE_SECRET_KEY',
  'DCALAB_USER_EMAIL',
  'DCALAB_STORE',
  'DCALAB_SERVICE_STORE',
  'DCALAB_CANDLES',
  'DCALAB_DIALECT',
  'DCALAB_PROFILE', // never from `.env`: the environment alone chooses a service
  'DCALAB_PAGER', // by the terminal (`system.ts`), and never from `.env`: it names a program to run
] as const

export const DEFAULT_STORE = 'data/workbench.sqlite'
export const DEFAULT_CANDLES = 'data/candles'
export const DEFAULT_SERVICE_STORE = 'data/service.sqlite'

/**
 * True when a path is the default one, however it was written. The default folder is in the working folder and is made when it is
 * missing. Another folder that is missing is probably an unmounted disk or a typing error, which a new empty store would hide.
 */
export function isUsual(path: string, usual: string): boolean {
  return resolve(path) === resolve(usual)
}

type Variable = (typeof SETTING_VARIABLES)[number]

const KEY_VARIABLES = [
  'DCALAB_API_KEY',
  'DCALAB_SECRET_KEY',
  'DCALAB_TRADE_API_KEY',
  'DCALAB_TRADE_SECRET_KEY',
] as const satisfies readonly Variable[]

/** Where files lie. A `.env` whose keys are not in force may have come with a clone: then these stay inside its folder. */
const PLACES: readonly Variable[] = ['DCALAB_STORE', 'DCALAB_SERVICE_STORE', 'DCALAB_CANDLES', 'DCALAB_DIALECT']

/** Who asks whom. They come from where the keys come from, so that no `.env` found in some folder joins keys of another source. */
const BESIDE_KEYS = ['DCALAB_BASE_URL', 'DCALAB_USER_EMAIL'] as const satisfies readonly Variable[]

export type Environment = Readonly<Record<string, string | undefined>>

/** What a profile may say; keys stay in the environment, and it names their variables. */
const PROFILE_NAMES = {
  BASE_URL: 'DCALAB_BASE_URL',
  DIALECT: 'DCALAB_DIALECT',
  USER_EMAIL: 'DCALAB_USER_EMAIL',
  API_KEY_VARIABLE: 'DCALAB_API_KEY',
  SECRET_KEY_VARIABLE: 'DCALAB_SECRET_KEY',
  TRADE_API_KEY_VARIABLE: 'DCALAB_TRADE_API_KEY',
  TRADE_SECRET_KEY_VARIABLE: 'DCALAB_TRADE_SECRET_KEY',
} as const satisfies Readonly<Record<string, Variable>>

/** Where a service of this name is described: in the user's own folder, never beside a study. undefined = there is no such folder. */
function profileFile(name: string, { XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string | undefined {
  const folder = XDG_CONFIG_HOME || APPDATA || (HOME ? join(HOME, '.config') : undefined)
  return folder === undefined ? undefined : join(folder, 'dcalab', `${name}.env`)
}

/** The settings of `DCALAB_PROFILE`, as if the environment said them, and the variables that hold its keys. @throws Failure settingInvalid */
function readProfile(environment: Environment): {
  readonly values: Environment
  readonly variables: readonly string[]
} {
  const { DCALAB_PROFILE: name } = environment
  if (!name) return { values: {}, variables: [] }
  const file = /^[a-z0-9-]{1,64}$/.test(name) ? profileFile(name, environment) : undefined
  if (file === undefined) {
    throw new Failure('settingInvalid', `DCALAB_PROFILE names no profile: "${name}"`, {
      hint: 'expected a-z, 0-9 and dashes: the name of a file in the folder dcalab of your configuration folder',
    })
  }
  let written: Environment
  try {
    written = parseEnv(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Failure('settingInvalid', `Profile ${name} cannot be read: ${file}`, {
      cause,
      hint: 'write BASE_URL, API_KEY_VARIABLE and SECRET_KEY_VARIABLE into it',
    })
  }
  const expected = Object.keys(PROFILE_NAMES).join(', ')
  const said = Object.entries(PROFILE_NAMES).map(([key, variable]) => [key, variable, written[key]] as const)
  const problems = [
    ...Object.keys(written).flatMap((key) =>
      Object.hasOwn(PROFILE_NAMES, key) ? [] : [{ place: `${file}: ${key}`, message: `expected ${expected}` }],
    ),
    ...said.flatMap(([, variable, value]) =>
      value && environment[variable] ? [{ place: variable, message: `is set, and profile ${name} says it too` }] : [],
    ),
  ]
  if (problems.length > 0) throw new Failure('settingInvalid', `Profile ${name} cannot be used`, { problems })
  const values = said.flatMap(([key, variable, value]) => {
    if (!value) return []
    if (key === 'DIALECT') return [[variable, resolve(dirname(file), value)] as const]
    return [[variable, key.endsWith('_VARIABLE') ? environment[value] : value] as const]
  })
  const variables = said.flatMap(([key, , value]) => (value && key.endsWith('_VARIABLE') ? [value] : []))
  return { values: Object.fromEntries(values), variables }
}

/** Of the profile in force: they are taken out of the environment of this process, as our own variables are. */
export function profileKeyVariables(environment: Environment): readonly string[] {
  try {
    return readProfile(environment).variables
  } catch {
    return [] // said when the settings are read
  }
}

/** @throws Failure settingInvalid naming every setting that is wrong. */
export function readSettings(
  given: Environment,
  dotEnv: DotEnvFile | undefined,
  { store, candles }: FolderDefaults = {},
): Settings {
  const environment = { ...given, ...readProfile(given).values }
  const fromFile: Environment = dotEnv === undefined ? {} : parseEnv(dotEnv.text)
  refuseReadableKeys(fromFile, dotEnv)
  const problems: Problem[] = []
  const read = readFrom(environment, fromFile, problems)
  const keys = readPair(read('DCALAB_API_KEY'), read('DCALAB_SECRET_KEY'), 'DCALAB_', problems)
  const tradeKeys = readPair(read('DCALAB_TRADE_API_KEY'), read('DCALAB_TRADE_SECRET_KEY'), 'DCALAB_TRADE_', problems)
  const baseUrl = read('DCALAB_BASE_URL')
  if (baseUrl !== undefined && keys === undefined && problems.length === 0) {
    problems.push({
      place: 'DCALAB_BASE_URL',
      message: 'is set, but DCALAB_API_KEY and DCALAB_SECRET_KEY are not; a service needs both',
    })
  }
  if (problems.length > 0) throw new Failure('settingInvalid', 'the settings are not valid', { problems })
  return {
    baseUrl,
    keys,
    tradeKeys,
    userEmail: read('DCALAB_USER_EMAIL'),
    store: read('DCALAB_STORE') ?? store ?? DEFAULT_STORE,
    serviceStore: read('DCALAB_SERVICE_STORE') ?? DEFAULT_SERVICE_STORE,
    candlesFolder: read('DCALAB_CANDLES') ?? candles ?? DEFAULT_CANDLES,
    dialect: read('DCALAB_DIALECT'),
    stateFolder: findStateFolder(environment),
    arrayTasks: findArrayTasks(environment),
  }
}

/** Which of the two says a setting; what they must not say together is a problem. */
function readFrom(environment: Environment, fromFile: Environment, problems: Problem[]) {
  const holdsKeys = KEY_VARIABLES.some((name) => environment[name])
  const keysFromFile = !holdsKeys && Boolean(fromFile.DCALAB_API_KEY)
  const inFile = (name: Variable): string | undefined => {
    const mayDecide = holdsKeys ? PLACES.includes(name) && name !== 'DCALAB_DIALECT' : name !== 'DCALAB_BASE_URL'
    return mayDecide || keysFromFile ? fromFile[name] : undefined
  }
  for (const name of keysFromFile ? BESIDE_KEYS : []) {
    if (!environment[name] || environment[name] === fromFile[name]) continue
    problems.push({ place: name, message: 'is set in the environment, and the keys in .env; set all of them in one' })
  }
  for (const name of keysFromFile ? [] : PLACES) {
    const path = environment[name] ? undefined : inFile(name)
    if (!path || !leadsOut(path)) continue
    const message = `"${path}" is outside this folder, which needs keys in the same .env; set it in the environment`
    problems.push({ place: `${name} in .env`, message })
  }
  return (name: Variable): string | undefined => environment[name] || inFile(name) || undefined
}

/** By `..`, by its root or by a link: its nearest part that exists is looked up as the file system knows it. */
export function leadsOut(path: string): boolean {
  if (path.split(/[/\\]/).includes('..')) return true
  let there = resolve(path)
  while (!isThere(there)) there = dirname(there)
  try {
    const way = relative(realpathSync('.'), realpathSync(there))
    return isAbsolute(way) || way.split(/[/\\]/)[0] === '..'
  } catch {
    return true // a link to what is not there: it would be made elsewhere
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // in a folder that may not be entered
  }
}

/**
 * The variables in which schedulers say which task of an array a process is, each as its manual has it. Where a user numbers the tasks, the
 * guide's command counts from 1. Outside an array LSF says 0 and Grid Engine "undefined": neither is a part.
 */
const ARRAY_VARIABLES = [
  { variable: 'SLURM_ARRAY_TASK_ID', first: 1 }, // slurm.schedmd.com/job_array.html
  { variable: 'PBS_ARRAY_INDEX', first: 1 }, // OpenPBS and PBS Professional, qsub(1B) -J
  { variable: 'LSB_JOBINDEX', first: 1 }, // IBM Spectrum LSF 10.1, "Environment variables set for job execution"
  { variable: 'SGE_TASK_ID', first: 1 }, // Grid Engine, qsub(1) -t
  { variable: 'JOB_COMPLETION_INDEX', first: 0 }, // kubernetes.io, Indexed Jobs
  { variable: 'AWS_BATCH_JOB_ARRAY_INDEX', first: 0 }, // docs.aws.amazon.com/batch, array jobs
  { variable: 'BATCH_TASK_INDEX', first: 0 }, // cloud.google.com/batch, task environment
  { variable: 'CLOUD_RUN_TASK_INDEX', first: 0 }, // cloud.google.com/run, jobs
  { variable: 'NOMAD_ALLOC_INDEX', first: 0 }, // developer.hashicorp.com/nomad, runtime environment
] as const

function findArrayTasks(environment: Environment): ArrayTask[] {
  return ARRAY_VARIABLES.flatMap(({ variable, first }) => {
    const value = environment[variable] ?? ''
    return /^\d{1,9}$/.test(value) ? [{ variable, index: Number(value), first }] : []
  })
}

/** The user's folder for state, as the XDG base directories name it, or Windows. */
function findStateFolder({ XDG_STATE_HOME, LOCALAPPDATA, HOME }: Environment): string | undefined {
  const state = XDG_STATE_HOME || LOCALAPPDATA || (HOME ? join(HOME, '.local/state') : undefined)
  return state === undefined ? undefined : join(state, 'dcalab')
}

function refuseReadableKeys(fromFile: Environment, dotEnv: DotEnvFile | undefined): void {
  const holdsKeys = KEY_VARIABLES.some((name) => fromFile[name])
  if (dotEnv === undefined || !holdsKeys || ((dotEnv.mode ?? 0) & 0o077) === 0) return
  throw new Failure('settingInvalid', '.env holds keys and can be read by other users', { hint: 'chmod 600 .env' })
}

function readPair(
  apiKey: string | undefined,
  secretKey: string | undefined,
  prefix: string,
  problems: Problem[],
): Keys | undefined {
  if (apiKey === undefined && secretKey === undefined) return undefined
  if (apiKey === undefined || secretKey === undefined) {
    const missing = apiKey === undefined ? 'API_KEY' : 'SECRET_KEY'
    problems.push({ place: `${prefix}${missing}`, message: 'is missing; the keys work only as a pair' })
    return undefined
  }
  return new Keys(apiKey, secretKey)
}
