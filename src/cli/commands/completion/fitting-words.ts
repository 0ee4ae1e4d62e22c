/**
 * What may stand at the cursor of a command line: read off the declared commands, so that no list of words is kept a second time. Words that are
 * declared need no file; only names of studies, trials, bots, columns and markets are looked up.
 */
import { type Argument, type Command, Option } from 'commander'
import type { StoredKind } from '../../../workbench/store/stored-names.ts'
import type { Context } from '../../context.ts'

interface FittingWord {
  readonly name: string
  readonly about: string
}

interface Fitting {
  readonly words: readonly FittingWord[]
  /** A path of the file system fits too: the shell knows those. */
  readonly files: boolean
}

const nothing: Fitting = { words: [], files: false }

type Kind = StoredKind | 'markets' | 'exchanges' | 'files'

/** By what stands between the brackets of an argument or an option; of options by their name first. */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  study: ['studies'],
  old: ['studies'],
  'study or id': ['studies', 'trials'],
  id: ['trials'],
  bot: ['bots'],
  market: ['markets'],
  'exchange/BASE-QUOTE': ['markets'],
  'file-or-market': ['markets', 'files'],
  exchange: ['exchanges'],
  file: ['files'],
  folder: ['files'],
  path: ['files'],
  'config-file': ['files'],
  select: ['columns'],
  '--view': ['views'],
  '--study': ['studies'],
  '--service': ['services'],
}

/** @param words those after the program's name, the last one being the one that is written: maybe empty */
export async function findFitting(context: Context, program: Command, words: readonly string[]): Promise<Fitting> {
  const written = words.filter((word) => word !== '=') // bash takes `--flag=value` for three words
  const prefix = written.at(-1) ?? ''
  const { command, awaiting, given, store, candles } = walk(program, written.slice(0, -1))
  const places = { store, candles }
  if (awaiting !== undefined) return fitValue(context, places, awaiting, prefix)
  if (prefix.startsWith('-')) return { words: optionsOf(command, prefix), files: false }
  const children = given > 0 ? [] : childrenOf(command, prefix)
  const argument = command.registeredArguments.at(given) ?? lastVariadic(command)
  const { words: values, files } = argument === undefined ? nothing : await fitValue(context, places, argument, prefix)
  return { words: [...children, ...values], files }
}

interface Walked {
  readonly command: Command
  /** The option whose value is written. */
  readonly awaiting: Option | undefined
  /** How many arguments stand before the word. */
  readonly given: number
  readonly store: string | undefined
  readonly candles: string | undefined
}

function walk(program: Command, before: readonly string[]): Walked {
  let command = program
  let awaiting: Option | undefined
  let given = 0
  const values = new Map<string, string>()
  for (const word of before) {
    if (word.startsWith('-')) {
      const named = command.options.find((option) => [option.long, option.short].includes(word))
      awaiting = named !== undefined && (named.required || named.optional) ? named : undefined
    } else if (awaiting !== undefined) {
      values.set(awaiting.long ?? '', word)
      if (!awaiting.variadic) awaiting = undefined
    } else {
      const child = given === 0 ? command.commands.find((one) => one.name() === word) : undefined
      if (child === undefined) given++
      else command = child
    }
  }
  return { command, awaiting, given, store: values.get('--store'), candles: values.get('--candles-dir') }
}

function optionsOf(command: Command, prefix: string): FittingWord[] {
  const own = command.options.flatMap(({ long, description }) =>
    long == null ? [] : [{ name: long, about: description }],
  )
  return [...own, { name: '--help', about: 'what it does, and its options' }].filter(({ name }) =>
    name.startsWith(prefix),
  )
}

function childrenOf(command: Command, prefix: string): FittingWord[] {
  return command.commands
    .map((child) => ({ name: child.name(), about: child.description() }))
    .filter(({ name }) => name.startsWith(prefix))
}

function lastVariadic({ registeredArguments }: Command): Argument | undefined {
  const last = registeredArguments.at(-1)
  return last?.variadic ? last : undefined
}

interface Places {
  readonly store: string | undefined
  readonly candles: string | undefined
}

async function fitValue(context: Context, places: Places, of: Option | Argument, prefix: string): Promise<Fitting> {
  if (of.argChoices !== undefined) {
    return {
      words: of.argChoices.filter((name) => name.startsWith(prefix)).map((name) => ({ name, about: '' })),
      files: false,
    }
  }
  const found: FittingWord[] = []
  const kinds = kindsOf(of)
  for (const kind of kinds) {
    if (kind !== 'files') found.push(...(await namesOf(context, places, kind, prefix)))
  }
  return { words: found, files: kinds.includes('files') }
}

/** An argument that names a study says in its own words whether it may be a file, too. */
function kindsOf(of: Option | Argument): readonly Kind[] {
  const placeholder = of instanceof Option ? (/[<[](.+?)(?:\.\.\.)?[>\]]/.exec(of.flags)?.[1] ?? '') : of.name()
  const byName = of instanceof Option ? KINDS[of.long ?? ''] : undefined
  const kinds = byName ?? KINDS[placeholder] ?? []
  return of.description.startsWith('study file') ? [...kinds, 'files'] : kinds
}

async function namesOf(
  context: Context,
  { store, candles }: Places,
  kind: Exclude<Kind, 'files'>,
  prefix: string,
): Promise<readonly FittingWord[]> {
  const settings = context.settings()
  if (kind === 'markets' || kind === 'exchanges') {
    const { listMarkets } = await import('../../../candles/folder/commit.ts')
    const markets = listMarkets(candles ?? settings.candlesFolder)
    const names = kind === 'markets' ? markets : [...new Set(markets.map((market) => market.split('/')[0]))]
    return names.filter((name) => name.startsWith(prefix)).map((name) => ({ name, about: 'stored candles' }))
  }
  const { listStoredNames } = await import('../../../workbench/store/stored-names.ts')
  if (kind !== 'columns') return listStoredNames(store ?? settings.store, kind, prefix)
  const [, before = '', column = ''] = /^["']?(.*?)([a-z_0-9]*)$/is.exec(prefix) ?? []
  const columns = listStoredNames(store ?? settings.store, kind, column)
  return columns.map(({ name, about }) => ({ name: `${before}${name}`, about }))
}
