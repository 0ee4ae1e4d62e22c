import { existsSync } from 'node:fs'

/** The built engine worker. Threads start from JavaScript, so it must have been built. */
export function workerFile(): URL {
  const file = new URL('../../dist/engine-worker.js', import.meta.url)
  if (!existsSync(file)) throw new Error('dist/engine-worker.js is missing: run `npm run build` first (npm test does)')
  return file
}
