/** Workers that misbehave; they speak the pool's messages. */
export function fixture(name: string): URL {
  return new URL(`fixtures/${name}`, import.meta.url)
}

/** Takes a task and never answers. */
export const deafWorker = fixture('deaf.mjs')
