/** JavaScript for a draft: member access and lines of an object, as biome would leave them. */
import type { Guess } from './guess-fields.ts'

const isName = /^[A-Za-z_$][\w$]*$/

/** `body.data?.jobs` for the keys data, jobs; the root itself is known to be there. */
export function accessTo(root: string, path: readonly string[]): string {
  return path.reduce((text, key, at) => {
    const mark = at === 0 ? '' : '?.'
    if (isName.test(key)) return `${text}${mark === '' ? '.' : mark}${key}`
    return `${text}${mark}[${JSON.stringify(key)}]`
  }, root)
}

/** A key of an object literal. */
export function keyText(key: string): string {
  return isName.test(key) ? key : JSON.stringify(key)
}

/** `id: job.uid, // "bt-1"`, one line for each guess, indented. */
export function memberLines(root: string, guesses: readonly Guess[], indent: string): string[] {
  return guesses.map(
    ({ field, path, convert, reason }) => `${indent}${field}: ${convert(accessTo(root, path))}, // ${oneLine(reason)}`,
  )
}

/** The assets of a pair that is one text: "BTC/USDT". */
export function splitLine(root: string, path: readonly string[], value: unknown, indent: string): string {
  const separator = JSON.stringify(/[^A-Z0-9]/i.exec(String(value))?.[0] ?? '/')
  const asset = (at: number) => `${accessTo(root, path)}?.split(${oneLine(separator)})[${at}]`
  return `${indent}baseAsset: ${asset(0)}, quoteAsset: ${asset(1)}, // ${oneLine(JSON.stringify(value))}`
}

/** What a service says must not end a comment, wherever an engine ends lines. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
}
