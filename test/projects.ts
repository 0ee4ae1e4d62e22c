/** Which tests run how; everything else runs in a process of its own per file. `test/house.test.ts` holds the lists complete. */

/** Tests of pure code: they leave nothing behind, so that one process takes one file after the other. */
export const PURE: readonly string[] = [
  'test/contract/**/*.test.ts',
  'test/engine/**/*.test.ts',
  'test/workbench/analysis/**/*.test.ts',
  'test/workbench/search/**/*.test.ts',
  'test/workbench/study/**/*.test.ts',
]

/** Tests that open stores and services and close them again: they take one process, too, and load the program once. */
export const TIDY: readonly string[] = [
  'test/candles/**/*.test.ts',
  'test/service/**/*.test.ts',
  'test/workbench/api/**/*.test.ts',
  'test/workbench/examine/**/*.test.ts',
  'test/workbench/holdout/**/*.test.ts',
  'test/workbench/promote/**/*.test.ts',
  'test/workbench/run/**/*.test.ts',
  'test/workbench/store/**/*.test.ts',
]

/** Tests that check a share of what they could (`support/share.ts`). */
export const LONG_SHARES = {
  /** `npm run test:reliability`: the figures of `HAZARDS.md`. */
  reliability: [
    'test/cli/dump.test.ts',
    'test/crash/enumerate.test.ts',
    'test/crash/kill-search.test.ts',
    'test/crash/kill9.test.ts',
    'test/limiter/windows.property.test.ts',
    'test/mutants/mutants.test.ts',
    'test/proc/signals.test.ts',
    'test/secrets/canary.test.ts',
    'test/sim/hardship.test.ts',
    'test/sim/not-lazy.test.ts',
    'test/sim/same-seed.test.ts',
    'test/sim/search-storm.test.ts',
    'test/sim/storm-1.test.ts',
    'test/sim/storm-2.test.ts',
    'test/workbench/examine/interrupted.test.ts',
    'test/workbench/promote/once.test.ts',
    'test/workbench/promote/promote.fuzz.test.ts',
    'test/workbench/report/every-text.test.ts',
    'test/workbench/report/inject.test.ts',
    'test/workbench/report/inspector.test.ts',
    'test/workbench/report/states-browser.test.ts',
    'test/workbench/run/counting.test.ts',
    'test/workbench/run/crash-settings.test.ts',
    'test/workbench/run/crash.test.ts',
    'test/workbench/run/distinct.test.ts',
    'test/workbench/run/every-fate.test.ts',
    'test/workbench/run/foreign.test.ts',
    'test/workbench/run/window.test.ts',
    'test/workbench/store/busy.test.ts',
    'test/workbench/store/disk-full.test.ts',
    'test/workbench/store/migrate.test.ts',
    'test/workbench/store/raw-first.test.ts',
    'test/workbench/store/restarts.test.ts',
    'test/workbench/store/states.test.ts',
    'test/workbench/study/bombs.test.ts',
  ],
  /** `npm run test:engine`: the engines against each other, a screen against brute force, its parts against itself, the detective against hidden sets, the fuzz of the service,
   *  the bench of the method. */
  engine: [
    'test/bench/method/quick.test.ts',
    'test/bench/method/zero-edge.test.ts',
    'test/engine/jump/agreement.test.ts',
    'test/engine/jump/sweep.test.ts',
    'test/engine/profit-bound.test.ts',
    'test/service/fuzz.test.ts',
    'test/workbench/drift/seeded.test.ts',
    'test/workbench/examine/examine-laws.test.ts',
    'test/workbench/examine/walk-forward.test.ts',
    'test/workbench/screen/markets.test.ts',
    'test/workbench/screen/memory.test.ts',
    'test/workbench/screen/parts.test.ts',
    'test/workbench/screen/plateau.test.ts',
    'test/workbench/screen/prune.test.ts',
    'test/workbench/screen/scores.test.ts',
    'test/workbench/screen/screen-grid.test.ts',
    'test/workbench/search/detective/hidden-sets.test.ts',
    'test/workbench/search/detective/laws.test.ts',
  ],
  /** `npm run test:house`: half-done changes, and what notices each. */
  house: [
    'test/change/chart.test.ts',
    'test/change/convention.test.ts',
    'test/change/doubt.test.ts',
    'test/change/endpoint-parameter.test.ts',
    'test/change/metric.test.ts',
    'test/change/option.test.ts',
    'test/change/search-method.test.ts',
    'test/change/study-field.test.ts',
    'test/change/view-column.test.ts',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>
