/** Which service’s results of a study are shown, and what services are called. Pure: what is asked of the store is in `study-counts.ts`. */
import { Failure } from '../../errors.ts'

/** Which service is meant, by a person or by the settings. */
export interface ServiceQuestion {
  /** As a person wrote it: a short name, or how a name or an identity begins. */
  readonly asked?: string | undefined
  /** Identity of the service that the settings name; undefined = none, or it was never used. */
  readonly configured?: string | undefined
  /** Takes the results of no other service than the configured one, unless another is asked for. */
  readonly configuredOnly?: boolean
}

export interface NamedService {
  readonly identity: string
  /** Its short name in this store. */
  readonly name: string
}

/** How far a study is on a service. */
export interface ServiceProgress extends NamedService {
  /** Trials that are done, and all of them. */
  readonly done: number
  readonly total: number
}

/**
 * The one rule: the service that is asked for; else the configured one if it has finished trials; else the one that has most of them; else the one
 * that the study was last run on.
 * @param services those that `study` was run on, the latest first
 * @returns undefined where it was run on none, or, with `configuredOnly`, not on that one
 * @throws Failure notFound for a service that is not among them, usage where several are meant
 */
export function chooseService<Service extends ServiceProgress>(
  study: string,
  services: readonly Service[],
  { asked, configured, configuredOnly = false }: ServiceQuestion,
): Service | undefined {
  if (asked !== undefined) {
    const found = findNamedServices(services, asked)
    if (found.length === 1) return found[0]
    if (found.length === 0) throw unknownService(asked, study, services.map(describeProgress))
    throw new Failure('usage', `"${asked}" means ${found.length} services`, {
      problems: problemsOf(found.map(describeProgress)),
      hint: 'name one of these',
    })
  }
  const ofSettings = services.find(({ identity }) => identity === configured)
  if (configuredOnly || (ofSettings !== undefined && ofSettings.done > 0)) return ofSettings
  const [latest, ...others] = services
  if (latest === undefined) return undefined
  return others.reduce((most, one) => (one.done > most.done ? one : most), latest)
}

const FEWEST_DIGITS = 4

interface Parts {
  /** `embedded`, or the host with a port that is not the usual one. */
  readonly base: string
  readonly between: string
  /** What distinguishes two of one base: the id of an embedded service, the SHA-256 of a key. */
  readonly digits: string
}

function partsOf(identity: string): Parts {
  const [, embedded] = /^embedded:(.+)$/.exec(identity) ?? []
  if (embedded !== undefined) return { base: 'embedded', between: ':', digits: embedded }
  const [, host, key] = /^https?:\/\/([^/#]+)#(.+)$/.exec(identity) ?? []
  return host === undefined ? { base: identity, between: '', digits: '' } : { base: host, between: '#', digits: key }
}

/**
 * What people read and type for each identity, different for each of these: `bots.example`, `embedded`; where two share that, with as many digits of
 * the account as tell them apart: `bots.example#3fa9`.
 */
export function shortNames(identities: readonly string[]): ReadonlyMap<string, string> {
  const byBase = Map.groupBy(identities, (identity) => partsOf(identity).base)
  return new Map(
    [...byBase].flatMap(([base, sharing]) =>
      sharing.map((identity) => [identity, sharing.length === 1 ? base : longerName(identity, sharing)] as const),
    ),
  )
}

function longerName(identity: string, sharing: readonly string[]): string {
  const { base, between, digits } = partsOf(identity)
  const others = sharing.filter((other) => other !== identity).map((other) => partsOf(other).digits)
  for (let length = FEWEST_DIGITS; length < digits.length; length++) {
    const shown = digits.slice(0, length)
    if (!others.some((other) => other.startsWith(shown))) return `${base}${between}${shown}`
  }
  return identity
}

/** The services that a person means by `asked`: those of that name, else those whose name or identity begins so. */
export function findNamedServices<Service extends NamedService>(
  services: readonly Service[],
  asked: string,
): readonly Service[] {
  const byName = services.filter(({ identity, name }) => [identity, name].includes(asked))
  const byBase = services.filter(({ identity }) => partsOf(identity).base === asked)
  const beginning = services.filter(({ identity }) => {
    const { base, between, digits } = partsOf(identity)
    return [identity, `${base}${between}${digits}`].some((text) => text.startsWith(asked))
  })
  return [byName, byBase, beginning].find((found) => found.length > 0) ?? []
}

interface ListedService extends Pick<NamedService, 'name'> {
  /** "87 of 128 done" */
  readonly progress: string
}

function describeProgress({ name, done, total }: ServiceProgress): ListedService {
  return { name, progress: `${done} of ${total} done` }
}

/** The failure that lists what there is. `whose`: "my-ladder", "this store". */
export function unknownService(asked: string, whose: string, listed: readonly ListedService[]): Failure {
  return new Failure('notFound', `${whose} has nothing of a service "${asked}"`, {
    problems: problemsOf(listed),
    hint: listed.length === 0 ? 'no service was used with it yet' : 'name one of these, or leave out --service',
  })
}

function problemsOf(listed: readonly ListedService[]) {
  return listed.map(({ name, progress }) => ({ place: `--service ${name}`, message: progress }))
}
