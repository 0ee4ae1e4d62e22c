/** `dcalab service draft <file>`: writes, or completes, a dialect for what could not be read. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Failure } from '../../../errors.ts'
import {
  bringHelpers,
  completeModule,
  DRAFTED,
  type DraftedName,
  draftAgain,
  draftFunctions,
  type SeenBodies,
  writeModule,
} from '../../../workbench/api/drafting/draft-module.ts'
import { parseLossless } from '../../../workbench/api/lossless-json.ts'
import type { EndpointHealth, ServiceHealth } from './read-endpoints.ts'

export interface WrittenDraft {
  readonly file: string
  /** The functions that were added, in their order. */
  readonly functions: readonly DraftedName[]
  readonly lines: number
  /** What of the listed jobs is not read, and was left alone. */
  readonly unread: readonly string[]
}

/**
 * What is read already, and what the dialect in force spells, is left alone.
 * @throws Failure usage when the file exists and is not the dialect in force, or cannot be added to
 */
export function writeDraft(file: string, health: ServiceHealth, dialectInForce: string | undefined): WrittenDraft {
  if (!file.endsWith('.mjs')) throw new Failure('usage', `${file}: expected a file that ends in .mjs`)
  const existing = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (existing !== undefined && dialectInForce !== file) {
    throw new Failure('usage', `${file}: the file exists and is not the current dialect; nothing was written`, {
      hint: `DCALAB_DIALECT=${file} adds to it; another name starts a new draft`,
    })
  }
  const bodies = bodiesOf(health)
  const functions = draftFunctions(bodies, lackingIn(health))
  const unread = unreadOfJobs(health)
  const again = existing === undefined ? existing : draftAgain(existing, bodies)
  const earlier = again === undefined ? undefined : completeModule(again, bodies)
  if (functions.length === 0 && earlier === existing) return { file, functions: [], lines: 0, unread }
  const module = writeModule(functions, earlier)
  if (module === undefined) {
    throw new Failure('usage', `${file}: it has no line "export const dialect = {" to write behind`, {
      hint: 'draft into a new file and copy what you need',
    })
  }
  const text = bringHelpers(module, bodies)
  writeFileSync(file, text)
  return {
    file,
    functions: functions.map(({ name }) => name),
    lines: countLines(text) - countLines(existing),
    unread: [],
  }
}

function countLines(text: string | undefined): number {
  return text === undefined ? 0 : text.split('\n').length - 1
}

/** What of a listed job a run cannot do without and does not read. */
function unreadOfJobs({ endpoints }: ServiceHealth): readonly string[] {
  const health = endpoints.find(({ endpoint }) => endpoint === 'listJobs')
  if (health?.state === 'unreadable') return ['the list']
  return ['id', 'state'].filter((field) => unreadFields(health, [field]))
}

function bodiesOf({ texts, kept }: ServiceHealth): SeenBodies {
  const read = (endpoint: keyof ServiceHealth['texts']) => parseLossless(texts[endpoint] ?? '')?.value
  return {
    limits: read('readLimits'),
    jobList: read('listJobs'),
    jobs: [read('readJob'), read('createJob'), ...kept.map((text) => parseLossless(text)?.value)].filter(
      (body) => body !== undefined,
    ),
    symbols: read('listSymbols'),
    botList: read('listBots'),
  }
}

/** What of each reply has to be read for a study to run; where it is not, and the dialect in force does not spell it, a draft is wanted. */
function lackingIn({ endpoints, spelled, texts }: ServiceHealth): ReadonlySet<DraftedName> {
  const of = (name: string) => endpoints.find(({ endpoint }) => endpoint === name)
  const lacks = (name: string, fields: readonly string[]) =>
    of(name)?.state === 'unreadable' || unreadFields(of(name), fields)
  const isJobUnread =
    lacks('listJobs', ['id', 'state']) ||
    lacks('readJob', ['id', 'state', 'result.metrics.netProfit']) ||
    ((of('listJobs')?.items ?? 0) === 0 && texts.createJob !== undefined)
  const isListUnread = of('listJobs')?.state === 'unreadable'
  const isForeign: Readonly<Record<DraftedName, boolean>> = {
    limits: unreadAll(of('readLimits'), ['limit', 'remaining', 'used']),
    jobList: isListUnread,
    job: isJobUnread,
    jobState: isJobUnread,
    symbols: lacks('listSymbols', ['baseAsset', 'quoteAsset']),
    botList: of('listBots')?.state === 'unreadable',
    bot: lacks('listBots', ['id', 'state', 'exchange']),
    jobRequest: false,
  }
  const names = DRAFTED.filter((name) => isForeign[name])
  // Who answers otherwise is probably asked otherwise too; where jobs of ours are there already, they were asked well.
  const asks = names.length > 0 && (of('listJobs')?.items ?? 0) === 0 ? ['jobRequest' as const] : []
  return new Set([...asks, ...names].filter((name) => !spelled.has(name)))
}

/** Some of `fields` were looked for and not read. */
function unreadFields(health: EndpointHealth | undefined, fields: readonly string[]): boolean {
  return (health?.fields ?? []).some(
    ({ field, found }) => fields.includes(field) && (found === 'absent' || found === 'unreadable'),
  )
}

function unreadAll(health: EndpointHealth | undefined, fields: readonly string[]): boolean {
  if (health?.state === 'unreadable') return true
  const read = (health?.fields ?? []).filter(({ field, found }) => fields.includes(field) && found === 'read')
  return health !== undefined && health.state === 'answers' && read.length === 0
}
