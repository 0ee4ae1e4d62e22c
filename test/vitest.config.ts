/**
 * The tests, in projects (`npx vitest run --config test/vitest.config.ts --project engine`). `--mode long` sets `LONG=1` for the tests
 * without asking a shell: each file of the lists of long shares (`projects.ts`) then checks all of what it checks a share of (`support/share.ts`).
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LONG_SHARES, LONGEST } from './projects.ts'

const minute = 60_000

/** One project after the other, and in each the longest files first, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((file) => moduleId.endsWith(file))
      return at === -1 ? LONGEST.length : at
    }
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((a, b) => place(a) - place(b)),
    )
  }
}

export default defineConfig(({ mode }) => {
  const isLong = mode === 'long' || process.env.LONG === '1'
  return {
    test: {
      root: fileURLToPath(new URL('..', import.meta.url)),
      setupFiles: ['test/support/every-file.ts'],
      pool: 'forks',
      sequence: { sequencer: LongestFirst },
      maxWorkers: 3, // some tests mostly wait; two cores are then not idle. With four they hold each other up
      // A golden file that is not where a test looks is a failure, not a new golden file; `-u` writes them.
      update: 'none',
      testTimeout: 10 * minute,
      hookTimeout: 2 * minute,
      expect: { poll: { timeout: minute / 3 } }, // a second is short for a browser beside two other tests
      env: { NO_COLOR: '1', TZ: 'Europe/Berlin', ...(isLong ? { LONG: '1' } : {}) },
      isolate: false, // a process takes one file after the other and loads the program once
      // A project has processes of its own: a usual run has one.
      projects: [
        ...(isLong ? Object.entries(LONG_SHARES) : []).map(([name, include]) => ({
          extends: true as const,
          test: { name, include: [...include], testTimeout: 120 * minute },
        })),
        { extends: true, test: { name: 'rest', include: ['test/**/*.test.ts'], exclude: isLong ? longShares : [] } },
      ],
    },
  }
})

const longShares: string[] = Object.values(LONG_SHARES).flat()
