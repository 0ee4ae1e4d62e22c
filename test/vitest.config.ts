/**
 * The tests, in projects (`npx vitest run --config test/vitest.config.ts --project engine`). `--mode long` sets `LONG=1` for the tests
 * without asking a shell: each file of the lists of long shares (`projects.ts`) then checks all of what it checks a share of (`support/share.ts`).
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LONG_SHARES, PURE, TIDY } from './projects.ts'

const minute = 60_000
const everyTest = 'test/**/*.test.ts'

export default defineConfig(({ mode }) => {
  const isLong = mode === 'long' || process.env.LONG === '1'
  return {
    test: {
      root: fileURLToPath(new URL('..', import.meta.url)),
      setupFiles: ['test/support/every-file.ts'],
      pool: 'forks',
      maxWorkers: 3, // some tests mostly wait; two cores are then not idle. With four they hold each other up
      // A golden file that is not where a test looks is a failure, not a new golden file; `-u` writes them.
      update: 'none',
      testTimeout: 2 * minute,
      hookTimeout: 2 * minute,
      env: { NO_COLOR: '1', TZ: 'Europe/Berlin', ...(isLong ? { LONG: '1' } : {}) },
      projects: [
        { extends: true, test: { name: 'pure', include: [...PURE], exclude: longShares, isolate: false } },
        { extends: true, test: { name: 'tidy', include: [...TIDY], exclude: longShares, isolate: false } },
        { extends: true, test: { name: 'rest', include: [everyTest], exclude: [...PURE, ...TIDY, ...longShares] } },
        ...Object.entries(LONG_SHARES).map(([name, include]) => ({
          extends: true as const,
          test: { name, include: [...include], isolate: false, testTimeout: (isLong ? 120 : 15) * minute },
        })),
      ],
    },
  }
})

const longShares: string[] = Object.values(LONG_SHARES).flat()
