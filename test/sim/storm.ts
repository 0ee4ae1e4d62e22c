/** Many worlds, one after the other, and what they add up to. */
import { expect } from 'vitest'
import { simulate, type WorldReport } from './world.ts'

const daysPerWorld = 2

/** Worlds of the seeds from `from` on, until `days` have passed. `SEED=n` in the environment replays that one world instead. */
export async function storm({ from, days }: { from: number; days: number }): Promise<void> {
  const reports: WorldReport[] = []
  const { SEED } = process.env
  const seeds =
    SEED === undefined
      ? Array.from({ length: Math.ceil(days / daysPerWorld) }, (_, index) => from + index)
      : [Number(SEED)]
  for (const one of seeds) reports.push(await simulate(one, daysPerWorld))
  const sum = (of: (report: WorldReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  process.stdout.write(
    `${reports.length} worlds, ${sum(({ days: lived }) => lived)} days, ${sum(({ crashes }) => crashes)} crashes, ` +
      `${sum(({ faults }) => faults)} faults, ${sum(({ requests }) => requests)} requests, ${sum(({ jobs }) => jobs)} jobs\n`,
  )
  const bad = reports.flatMap(({ seed: of, violations, refusedUnforeseen }) => [
    ...violations.map((words) => `SEED=${of}: ${words}`),
    ...(refusedUnforeseen > 0 ? [`SEED=${of}: ${refusedUnforeseen} requests refused without anybody else`] : []),
  ])
  expect(bad).toEqual([])
  if (SEED !== undefined) return
  // As many misfortunes as were promised, not a quiet sea.
  expect(sum(({ crashes }) => crashes)).toBeGreaterThanOrEqual(days * 17.5)
  expect(sum(({ faults }) => faults)).toBeGreaterThanOrEqual(days * 175)
}
