import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A golden file that is not where a test looks is a failure, not a new golden file; `-u` writes them.
    update: 'none',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { NO_COLOR: '1', TZ: 'Europe/Berlin' },
  },
})
