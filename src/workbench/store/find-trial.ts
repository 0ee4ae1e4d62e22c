/** Which configuration, and which of its results, a person means: every command that takes an `<id>` asks here. */
import { Failure } from '../../errors.ts'
import { allRows, firstRow, statement } from '../../sqlite/statements.ts'
import { shortIds } from '../study/fingerprint.ts'
import { findNamedServices, type NamedService } from './choose-service.ts'
import { findClosedStudy } from './holdouts.ts'
import { readTried } from './readers.ts'
import type { WholeTrial } from './records.ts'
import { listServices } from './services.ts'
import type { Store } from './store.ts'
import { findStudy, revisionName, splitStudyName, unknownStudy } from './study-records.ts'
import { query } from './tables.ts'

/** Which of several results of a configuration is meant. */
export interface ResultChoice {
  /** The first digits of the settings, as they are shown; `none` = those of a result that was asked for under none. */
  readonly settings?: string | undefined
  /** A service by its short name, or how its name or identity begins. */
  readonly service?: string | undefined
  /** `exchange/BASE-QUOTE`, or `BASE-QUOTE`. */
  readonly market?: string | undefined
  /** A study that tries it, or a revision: `my-ladder@2`. */
  readonly study?: string | undefined
  /** Of `study`. */
  readonly revision?: number | undefined
  /** Results of no other service are meant; null = none is. */
  readonly identity?: string | null
}

const FEWEST_DIGITS = 4
const MOST_LISTED = 5
const WITHOUT_SETTINGS = 'none'

/** `46330614`, `46330614@ETH-USDT`, `46330614@binance/ETH-USDT:9be2`. */
interface WrittenId {
  readonly digits: string
  readonly market?: string | undefined
  readonly settings?: string | undefined
}

const WRITTEN = new RegExp(`^(?<digits>[0-9a-f]{${FEWEST_DIGITS},64})(?:@(?<market>[^:@]+))?(?::(?<settings>.+))?$`)

function readId(text: string): WrittenId | undefined {
  const { digits = '', market, settings } = WRITTEN.exec(text)?.groups ?? {}
  if (digits === '') return undefined
  return { digits, market, settings }
}

export function isTrialPrefix(text: string): boolean {
  return readId(text) !== undefined
}

const alike = statement(({ from, to }: { readonly from: string; readonly to: string }) =>
  query
    .selectFrom('trial')
    .select('config_fingerprint')
    .distinct()
    .where('config_fingerprint', '>=', from)
    .where('config_fingerprint', '<', to),
)

/** The ids of this store’s configurations, by their fingerprints: 8 digits, more where it has two that begin alike. */
export function idsIn({ db }: Store): (fingerprint: string) => string {
  return (fingerprint) => {
    const [begins] = shortIds([fingerprint])
    const others = alike.all(db, { from: begins, to: `${begins}g` }).map((row) => row.config_fingerprint)
    return shortIds([fingerprint], others)[0]
  }
}

/** Of a trial that the store has. */
export function idOfTrial(store: Store, trial: string): string {
  const named = query.selectFrom('trial').select('config_fingerprint').where('fingerprint', '=', trial)
  const [row] = allRows(store.db, named)
  return idsIn(store)(row?.config_fingerprint ?? trial)
}

/** Whether its configuration has another trial on this market, as after a rerun or a hold-out: its id alone then names neither. */
export function hasOtherPeriods(store: Store, trial: string): boolean {
  const others = query
    .selectFrom('trial as t')
    .innerJoin('trial as o', (join) =>
      join
        .onRef('o.config_fingerprint', '=', 't.config_fingerprint')
        .onRef('o.market', '=', 't.market')
        .onRef('o.fingerprint', '<>', 't.fingerprint'),
    )
    .select('o.fingerprint')
    .where('t.fingerprint', '=', trial)
  return firstRow(store.db, others.limit(1)) !== undefined
}

interface NamedTrial {
  readonly fingerprint: string
  readonly config_fingerprint: string
  readonly market: string
  readonly period_from: string
  readonly period_to: string
}

/** Of one configuration, on all of its markets and periods. */
const MOST_FOUND = 1_000

/**
 * The trials that begin with these digits, those of one configuration: by its fingerprint or by their own.
 * @throws Failure usage for other text or when several configurations begin so, notFound
 */
function findNamed(store: Store, text: string): { readonly written: WrittenId; readonly found: readonly NamedTrial[] } {
  const written = readId(text)
  if (written === undefined) {
    const expected = `expected the id of a configuration, ${FEWEST_DIGITS} or more hex digits, found `
    if (findStudy(store, text) === undefined) throw new Failure('usage', `${expected}"${text}"`)
    throw new Failure('usage', `${expected}the name of a study, ${text}`, {
      hint: `\`dcalab leaderboard ${text}\` lists its configurations`,
    })
  }
  const { digits } = written
  const found = (['config_fingerprint', 'fingerprint'] as const).flatMap((column) =>
    allRows(
      store.db,
      query
        .selectFrom('trial')
        .select(['fingerprint', 'config_fingerprint', 'market', 'period_from', 'period_to'])
        .where(column, '>=', digits)
        .where(column, '<', `${digits}g`)
        .orderBy(column)
        .orderBy('period_from')
        .orderBy('market')
        .limit(MOST_FOUND),
    ),
  )
  if (found.length === 0) throw new Failure('notFound', `the store holds no configuration ${digits}…`)
  const configs = [...new Set(found.map((trial) => trial.config_fingerprint))]
  if (configs.length === 1) return { written, found: [...new Map(found.map((one) => [one.fingerprint, one])).values()] }
  const ids = configs.slice(0, MOST_LISTED).map(idsIn(store))
  const rest = configs.length > MOST_LISTED ? ' and more' : ''
  throw new Failure('usage', `${digits} begins several configurations: ${ids.join(', ')}${rest}`, {
    hint: 'give more digits',
  })
}

/**
 * The result that is meant. `text`: digits of a configuration (or of a trial), after an @ its market, after a colon those of the settings where it
 * says them itself: `46330614@ETH-USDT:9be2`. Of a trial without any result, where it stands.
 * @throws Failure usage, notFound; usage with the list where several results are left
 */
export function findResult(store: Store, text: string, choice: ResultChoice = {}): WholeTrial {
  const { written, found } = findNamed(store, text)
  const id = idsIn(store)(found[0].config_fingerprint)
  const settings = written.settings ?? choice.settings
  const { fingerprint } = chooseNamed(store, found, {
    ...choice,
    digits: written.digits,
    id,
    market: written.market ?? choice.market,
  })
  const name = found.length === 1 ? id : `${id}@${pairOf(found.find((one) => one.fingerprint === fingerprint))}`
  refuseClosed(store, fingerprint, id)
  const tried = readTried(store, fingerprint)
  if (tried.length === 0) {
    throw new Failure('notFound', `${name} is planned and was not sent to any service yet`, {
      hint: 'run its study: dcalab run <file>',
    })
  }
  const services = listServices(store)
  const isMeant = meaning(services, { ...choice, settings })
  const chosen = tried.filter(isMeant)
  if (chosen.length === 0) {
    throw new Failure('notFound', `${name} has no result under these settings or of this service`, {
      problems: listOf(tried, services, choice),
      hint: 'give --settings or --service as listed above',
    })
  }
  const done = chosen.filter(({ state }) => state === 'done')
  const [result, ...others] = done.length > 0 ? done : chosen
  if (others.length === 0) return result
  const isOneService = others.every(({ identity }) => identity === result.identity)
  throw new Failure('usage', `${name} has ${others.length + 1} results that differ in what they were computed under`, {
    problems: listOf([result, ...others], services),
    hint: `choose one: ${isOneService ? '--settings' : '--settings or --service'}, as listed above`,
  })
}

/** "ETH-USDT". */
function pairOf(trial: Pick<NamedTrial, 'market'> | undefined): string {
  return trial?.market.split('/').at(-1) ?? ''
}

interface NamedChoice extends Pick<ResultChoice, 'study' | 'revision'> {
  /** As they were typed. */
  readonly digits: string
  readonly id: string
  readonly market: string | undefined
}

/** @throws Failure usage with the list where several are left, notFound */
function chooseNamed(
  store: Store,
  all: readonly NamedTrial[],
  { digits, id, market, ...choice }: NamedChoice,
): NamedTrial {
  const studiesOf = studiesIn(store)
  const ofStudy = askedStudy(store, choice)
  const fitting = all.filter(
    (one) =>
      (market === undefined || one.market === market || pairOf(one) === market) &&
      (ofStudy === undefined || studiesOf(one.fingerprint).includes(ofStudy)),
  )
  // One that was never sent has no result that could be meant.
  const tried = fitting.filter(({ fingerprint }) => readTried(store, fingerprint).length > 0)
  const [found, ...others] = tried.length > 0 ? tried : fitting
  const isMarketNamed = new Set((found === undefined ? all : [found, ...others]).map((one) => one.market)).size > 1
  const listed = (found === undefined ? all : [found, ...others]).slice(0, MOST_LISTED * 4).map((one) => {
    const [study] = studiesOf(one.fingerprint)
    const span = `${one.period_from.slice(0, 10)} to ${one.period_to.slice(0, 10)}`
    const named = isMarketNamed ? `${id}@${pairOf(one)}` : id
    const place = study === undefined ? one.fingerprint.slice(0, 12) : `${named} --study ${study}`
    return { place, message: `${one.market}, ${span}` }
  })
  if (found === undefined) {
    const asked = [
      ...(market === undefined ? [] : [`on ${market}`]),
      ...(ofStudy === undefined ? [] : [`in ${ofStudy}`]),
    ]
    throw new Failure('notFound', `${digits} was not tried ${asked.join(' ')}`, {
      problems: listed,
      hint: 'use one of these instead',
    })
  }
  if (others.length === 0) return found
  throw new Failure('usage', `${id} was tried ${others.length + 1} times`, {
    problems: listed,
    hint: 'use one of these instead',
  })
}

/** The best of a study is not chosen among the results of an id. @throws Failure usage */
export function refuseChoice(study: string, choice: Pick<ResultChoice, 'study' | 'revision' | 'settings'>): void {
  const flags = { '--study': choice.study, '--revision': choice.revision, '--settings': choice.settings }
  const [flag] = Object.entries(flags).find(([, given]) => given !== undefined) ?? []
  if (flag === undefined) return
  throw new Failure('usage', `${flag} chooses a result of an id, and ${study} is a study`, {
    hint: `name a revision as ${splitStudyName(study).name}@2`,
  })
}

/** `my-ladder@2`. @throws Failure usage, notFound */
function askedStudy(store: Store, { study, revision }: Pick<ResultChoice, 'study' | 'revision'>): string | undefined {
  if (study === undefined) {
    if (revision === undefined) return undefined
    throw new Failure('usage', '--revision goes with --study')
  }
  const record = findStudy(store, revision === undefined ? study : `${study}@${revision}`)
  if (record === undefined) throw unknownStudy(store, study)
  return revisionName(record)
}

/** What the study of a submission is called by now; undefined = it was removed. */
export function currentStudy(
  store: Store,
  { study, fingerprint }: { readonly study: string; readonly fingerprint: string },
): string | undefined {
  if (findStudy(store, study) !== undefined) return study
  return studiesIn(store)(fingerprint).map((revision) => splitStudyName(revision).name)[0]
}

/** The revisions that a trial belongs to, newest first. */
function studiesIn({ db }: Store): (fingerprint: string) => readonly string[] {
  return (fingerprint) => {
    const revisions = query
      .selectFrom('study_trial as t')
      .innerJoin('study as s', (join) =>
        join.onRef('s.name', '=', 't.study').onRef('s.fingerprint', '=', 't.study_fingerprint'),
      )
      .select(['s.name', 's.number as revision'])
      .where('t.fingerprint', '=', fingerprint)
      .orderBy('s.saved_at', 'desc')
      .orderBy('s.name')
      .orderBy('s.number', 'desc')
    return allRows(db, revisions).map(revisionName)
  }
}

/** @throws Failure notFound while the trial's hold-out is being opened */
function refuseClosed(store: Store, fingerprint: string, id: string): void {
  const study = findClosedStudy(store, fingerprint)
  if (study === undefined) return
  throw new Failure(
    'notFound',
    `${id} is run on the hold-out of ${study}, of which nothing is shown before all of it is in`,
    { hint: `go on with it: dcalab holdout ${study} --test --reason …` },
  )
}

function meaning(services: readonly NamedService[], { settings, service, identity: only }: ResultChoice) {
  const named = service === undefined ? undefined : findNamedServices(services, service)
  return ({ settings: ofResult, identity }: WholeTrial) => {
    const isAsked =
      settings === undefined ||
      (settings === WITHOUT_SETTINGS ? ofResult === null : ofResult?.startsWith(settings) === true)
    const isOfService = named === undefined || named.some((one) => one.identity === identity)
    return isAsked && isOfService && (only === undefined || only === identity)
  }
}

/** One line for each, with the flags that choose it and what differs between them. `missed`: the choice that none of them is. */
function listOf(tried: readonly WholeTrial[], services: readonly NamedService[], missed: ResultChoice = {}) {
  const parts = tried.map(statedParts)
  const names = [...new Set(parts.flatMap((part) => [...part.keys()]))]
  const differing = names.filter((name) => new Set(parts.map((part) => part.get(name))).size > 1)
  const nameOf = new Map(services.map(({ identity, name }) => [identity, name]))
  const namesService =
    missed.service !== undefined ||
    missed.identity !== undefined ||
    new Set(tried.map(({ identity }) => identity)).size > 1
  return tried.map(({ identity, settings, state, metrics }, index) => {
    const stated = differing.map((name) => `${name} ${parts[index].get(name) ?? 'not stated'}`)
    const netProfit = metrics?.netProfit ?? null
    const ended = netProfit === null ? state : `net profit ${netProfit}`
    const isOnlyHere = tried.filter((other) => other.identity === identity).length === 1
    const flags = [
      ...(namesService ? [`--service ${nameOf.get(identity) ?? identity}`] : []),
      ...(!namesService || !isOnlyHere || missed.settings !== undefined
        ? [`--settings ${settings ?? WITHOUT_SETTINGS}`]
        : []),
    ]
    return { place: flags.join(' '), message: [...stated, ended].join(', ') }
  })
}

/** What a result says it was computed under, part by part. */
function statedParts({ candles, costs, conventions, symbol }: WholeTrial): ReadonlyMap<string, string> {
  const parts = { interval: candles?.interval, ...costs, ...conventions, ...symbol }
  return new Map(
    Object.entries(parts).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)] as const],
    ),
  )
}
