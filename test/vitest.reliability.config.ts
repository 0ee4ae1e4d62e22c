/**
 * `npm run test:reliability`: the long run of what CI holds a share of. Each test prints its figure in one line, named as in `HAZARDS.md`
 * (`R1 R2: 0 bad in …`); the figures of the last whole run are noted in `src/decisions/0011-judged-by-the-service-book.md`.
 */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.reliability.ts'],
    pool: 'forks',
    testTimeout: 7_200_000,
    env: { NO_COLOR: '1', TZ: 'Europe/Berlin' },
  },
})
