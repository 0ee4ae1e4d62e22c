/** `npm run test:reliability`: the long run of what CI holds a share of. Its figures are noted in `src/decisions`. */
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
