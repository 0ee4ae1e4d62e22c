/** Real candles and recorded deals lie beside the project (`../shared/data`); tests that need them are skipped where they are absent. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../shared/data/', import.meta.url))

/** The absolute path of a file under `../shared/data`, or undefined (with a message) when it is absent. */
export function sharedData(path: string): string | undefined {
  const full = `${root}${path}`
  if (existsSync(full)) return full
  process.stderr.write(`skipped: needs ../shared/data/${path}\n`)
  return undefined
}
