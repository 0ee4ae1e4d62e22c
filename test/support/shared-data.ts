/** Real candles, recorded deals and the API document lie beside the project (`../shared`); tests that need them are skipped where they are absent. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../shared/', import.meta.url))

/** The absolute path of a file under `../shared/data`, or undefined (with a message) when it is absent. */
export function sharedData(path: string): string | undefined {
  return findShared(`data/${path}`)
}

/** The absolute path of a page under `../shared/reference`, or undefined (with a message) when it is absent. */
export function sharedDocument(name: string): string | undefined {
  return findShared(`reference/${name}`)
}

function findShared(path: string): string | undefined {
  const full = `${root}${path}`
  if (existsSync(full)) return full
  process.stderr.write(`skipped: needs ../shared/${path}\n`)
  return undefined
}
