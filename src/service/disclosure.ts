import type { JobResultBody } from '../contract/bodies.ts'

/** The fields by which our service shows, of a job as of a bot, what it is computed with. */
const SETTINGS = ['conventions', 'costs', 'symbol', 'engineVersion'] as const satisfies readonly (keyof JobResultBody)[]

/** A body as a service that does not disclose its settings answers it. */
export function withoutSettings(body: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !SETTINGS.some((setting) => setting === field)))
}
