/** `npm run test:engine`: the long run of the properties that normal tests check a fixed share of. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.heavy.ts'],
    pool: 'forks',
    testTimeout: 3_600_000,
    env: { NO_COLOR: '1', TZ: 'Europe/Berlin' },
  },
})
