/** Which trial, and which of its results, a person means: every command that takes a `<trial>` asks here. */
import { Failure } from '../../errors.ts'
import { allRows } from '../../sqlite/statements.ts'
import { findNamedServices, type NamedService } from './choose-service.ts'
import { findClosedStudy } from './holdouts.ts'
import { readTried } from './readers.ts'
import type { WholeTrial } from './records.ts'
import { listServices } from './services.ts'
import type { Store } from './store.ts'
import { findStudy } from './study-records.ts'
import { query } from './tables.ts'

/** Where a trial has results under several settings, or of several services. */
export interface ResultChoice {
  /** The first digits of the settings, as they are shown; `none` = those of a result that was asked for under none. */
  readonly settings?: string
  /** A service by its short name, or how its name or identity begins. */
  readonly service?: string
  /** Results of no other service are meant; null = none is. */
  readonly identity?: string | null
}

const FEWEST_DIGITS = 4
const MOST_LISTED = 5
export const WITHOUT_SETTINGS = 'none'

export function isTrialPrefix(text: string): boolean {
  return new RegExp(`^[0-9a-f]{${FEWEST_DIGITS},64}$`).test(text)
}

/**
 * The whole fingerprint of the one trial that begins with these digits, tried or not.
 * @throws Failure usage for other text or when several trials begin so, notFound
 */
export function findFingerprint(store: Store, text: string): string {
  if (!isTrialPrefix(text)) {
    const expected = `expected a fingerprint or ${FEWEST_DIGITS} or more of its first digits, found `
    if (findStudy(store, text) === undefined) throw new Failure('usage', `${expected}"${text}"`)
    throw new Failure('usage', `${expected}the name of a study, ${text}`, {
      hint: `\`dcalab leaderboard ${text}\` lists its trials`,
    })
  }
  const beginning = query
    .selectFrom('trial')
    .select('fingerprint')
    .where('fingerprint', '>=', text)
    .where('fingerprint', '<', `${text}g`)
    .orderBy('fingerprint')
  const [found, other, ...more] = allRows(store.db, beginning.limit(MOST_LISTED + 1))
  if (found === undefined) throw new Failure('notFound', `the store holds no trial ${text}…`)
  if (other === undefined) return found.fingerprint
  const shown = [found, other, ...more].slice(0, MOST_LISTED).map(({ fingerprint }) => fingerprint.slice(0, 16))
  const rest = more.length + 2 > MOST_LISTED ? ' and more' : ''
  throw new Failure('usage', `${text} begins several trials: ${shown.join(', ')}${rest}`, { hint: 'give more digits' })
}

/**
 * The result that is meant. `text`: digits of a trial, and after a colon those of the settings where it says that itself:
 * `3fa94c01:9be2`. Of a trial without any result, where it stands.
 * @throws Failure usage, notFound; usage with the list where results of several settings or services are left
 */
export function findResult(store: Store, text: string, choice: ResultChoice = {}): WholeTrial {
  const [digits, ofText] = text.split(':', 2)
  const settings = ofText ?? choice.settings
  const fingerprint = findFingerprint(store, digits)
  const name = fingerprint.slice(0, 12)
  refuseClosed(store, fingerprint)
  const tried = readTried(store, fingerprint)
  if (tried.length === 0) {
    throw new Failure('notFound', `trial ${name} is planned and was not sent to any service yet`, {
      hint: 'run its study: dcalab run <file>',
    })
  }
  const services = listServices(store)
  const isMeant = meaning(services, { ...choice, ...(settings === undefined ? {} : { settings }) })
  const chosen = tried.filter(isMeant)
  if (chosen.length === 0) {
    throw new Failure('notFound', `trial ${name} has no result under these settings or of this service`, {
      problems: listOf(tried, services, choice),
      hint: 'give --settings or --service as listed above',
    })
  }
  const done = chosen.filter(({ state }) => state === 'done')
  const [found, ...others] = done.length > 0 ? done : chosen
  if (others.length === 0) return found
  const isOneService = others.every(({ identity }) => identity === found.identity)
  throw new Failure(
    'usage',
    `trial ${name} has ${others.length + 1} results that differ in what they were computed under`,
    {
      problems: listOf([found, ...others], services),
      hint: `choose one: ${isOneService ? '--settings' : '--settings or --service'}, as listed above`,
    },
  )
}

/** @throws Failure notFound while the trial's hold-out is being opened */
function refuseClosed(store: Store, fingerprint: string): void {
  const study = findClosedStudy(store, fingerprint)
  if (study === undefined) return
  throw new Failure(
    'notFound',
    `trial ${fingerprint.slice(0, 12)} is run on the hold-out of ${study}, of which nothing is shown before all of it is in`,
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
