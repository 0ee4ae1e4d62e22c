/** What a person gives: a file, stdin, an answer at the terminal; or a text of an agent. No more is read than such a file may have, whatever is at the path. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import type { Conventions } from '../engine/conventions.ts'
import { Failure, suggest } from '../errors.ts'
import type { Context } from './context.ts'
import { printable } from './output.ts'

// Reads conventions from a flag: a preset's name, the text as in a study, or a file with that text.

/**
 * The name of a preset wins over a file with the same name. @throws Failure configInvalid with every problem, usage for a file
 * that cannot be read
 */
export async function readConventions(flag: string, given: string): Promise<Conventions> {
  const [{ parseConventions }, { CONVENTION_PRESETS }] = await Promise.all([
    import('../workbench/study/conventions-text.ts'),
    import('../engine/conventions.ts'),
  ])
  const isText = Object.hasOwn(CONVENTION_PRESETS, given) || given.trimStart().startsWith('{') || !existsSync(given)
  if (!isText)
    return parseConventions(readInput(given), { place: given, subject: `${given} is not a set of conventions` })
  return parseConventions(given, {
    place: flag,
    subject: `${flag} "${given}" cannot be used`,
    hint: `write ${flag} "{ preset: three-commas, safetyOrderSize: 15 }", or a file with that text`,
  })
}

/** More than any study or config may have (workbench/study/source-document.ts refuses above 1 MB and says where). */
const mostBytes = 2_000_000

const REASONS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'its permissions do not allow it',
}

/** Pipes such as `<(…)` are read too. @throws Failure usage */
export function readInput(file: string): string {
  try {
    const bytes = readUpTo(file, mostBytes + 1)
    if (bytes.length <= mostBytes) return asText(bytes)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause))
    const meant = code === 'ENOENT' ? suggestFile(file) : ''
    throw new Failure('usage', `cannot read ${file}: ${reason}${meant}`, { cause, hint: 'name an existing file' })
  }
  throw new Failure('usage', `cannot read ${file}: it has more than ${mostBytes / 1e6} MB`, {
    hint: 'name a study or config file (YAML or JSON)',
  })
}

/** "; did you mean studies/eth.yaml?" of the files in the folder where this one is missing, or nothing. */
function suggestFile(file: string): string {
  const folder = dirname(file)
  if (!existsSync(folder)) return ` (nor a folder ${folder})`
  try {
    return suggest(
      file,
      readdirSync(folder).map((name) => join(folder, name)),
    )
  } catch {
    return '' // what may not be listed is not guessed at
  }
}

/** A file that a person named, `-` for what comes in by stdin, or a text that an agent gave under this name. @throws Failure usage, and the signal's reason on an interrupt */
export async function readGiven({ agent, signal }: Pick<Context, 'agent' | 'signal'>, name: string): Promise<string> {
  if (agent === undefined) return name === '-' ? readStandardInput(signal) : readInput(name)
  const text = agent.texts.get(name)
  if (text === undefined) throw new Failure('usage', `${name} was not given; an agent gives the text itself`)
  return text
}

export function isGiven({ agent }: Pick<Context, 'agent'>, name: string): boolean {
  return agent === undefined
    ? statSync(name, { throwIfNoEntry: false })?.isDirectory() === false
    : agent.texts.has(name)
}

/** Stdin up to its end, as text, while Ctrl-C is still heard. @throws Failure usage for more than such a text may have */
export async function readStandardInput(signal: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of addAbortSignal(signal, process.stdin)) {
      parts.push(part)
      length += part.length
      if (length > mostBytes) throw new Failure('usage', `stdin has more than ${mostBytes / 1e6} MB`)
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error // Node wraps the reason in an error of its own
  }
  return asText(Buffer.concat(parts))
}

/** UTF-8, unless its first bytes say UTF-16, as those of a file that Windows PowerShell made by `>`. */
function asText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return bytes.toString('utf8')
}

function readUpTo(file: string, most: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(most)
    let length = 0
    for (let read = -1; read !== 0 && length < most; length += read) {
      read = readSync(descriptor, bytes, length, most - length, null)
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** What a person answers at the terminal, without spaces around it. @throws the signal's reason on an interrupt */
export async function askPerson(
  { signal, system }: Pick<Context, 'signal' | 'system'>,
  question: string,
): Promise<string> {
  return (await system.terminal.ask(printable(question), signal)).trim()
}

/** "; did you mean binance/BTC-USDT?" of what the candle folder holds, or nothing. */
export async function suggestMarket(folder: string, name: string): Promise<string> {
  const [{ listMarkets }, { suggest }] = await Promise.all([
    import('../candles/folder/commit.ts'),
    import('../errors.ts'),
  ])
  return suggest(name, listMarkets(folder))
}

/** For a word that is spelt as no market is, and so has to be a file. @throws Failure usage where there is none */
export async function requireFile(folder: string, name: string): Promise<void> {
  if (existsSync(name)) return
  throw new Failure('usage', `${name} is neither a candle file nor a market${await suggestMarket(folder, name)}`, {
    hint: '`dcalab candles list` shows stored markets as exchange/BASE-QUOTE',
  })
}
