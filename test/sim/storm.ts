/** Many worlds, one after the other, and what they add up to. */
import { expect } from 'vitest'
import { manySearches } from './searches.ts'
import { simulate, type WorldReport } from './world.ts'

const daysPerWorld = 2
/** A long storm says this often how far it has come. */
const daysPerLine = 100

/** What a simulated day has to bring at least, on average: a quiet sea proves nothing. */
const ROUGHNESS = { crashesPerDay: 17.5, faultsPerDay: 175 }

/** Worlds of the seeds from `from` on, until `days` have passed. `SEED=n` in the environment replays that one world instead. */
export async function storm({ from, days }: { from: number; days: number }): Promise<void> {
  const { SEED } = process.env
  const first = SEED === undefined ? from : Number(SEED)
  const worlds = SEED === undefined ? Math.ceil(days / daysPerWorld) : 1
  const reports: WorldReport[] = []
  for (let n = 0; n < worlds; n++) {
    reports.push(await simulate(first + n, Math.min(days, daysPerWorld)))
    const lived = reports.length * daysPerWorld
    if (n + 1 === worlds || lived % daysPerLine === 0) process.stdout.write(`${inOneLine(reports)}\n`)
  }
  expect(reports.flatMap(violationsOf)).toEqual([])
  if (SEED !== undefined) return
  expect(total(reports, 'crashes')).toBeGreaterThanOrEqual(days * ROUGHNESS.crashesPerDay)
  expect(total(reports, 'faults')).toBeGreaterThanOrEqual(days * ROUGHNESS.faultsPerDay)
}

/** Hours in which a day's allowance goes to searches: two or three of them. */
const daysPerSearches = 0.3

/** Worlds of the seeds from `from` on, in which searches run. `SEED=n` as above. Answers how many searches ended, by what ended them. */
export async function stormSearches({
  from,
  worlds,
}: {
  from: number
  worlds: number
}): Promise<ReadonlyMap<string, number>> {
  const { SEED } = process.env
  const first = SEED === undefined ? from : Number(SEED)
  const reports: WorldReport[] = []
  const ends = new Map<string, number>()
  for (let n = 0; n < (SEED === undefined ? worlds : 1); n++) {
    const purpose = manySearches(first + n)
    reports.push(await simulate(first + n, daysPerSearches, purpose))
    for (const end of purpose.ends) ends.set(end ?? 'all asked', (ends.get(end ?? 'all asked') ?? 0) + 1)
  }
  const words = [...ends].map(([end, count]) => `${count} by ${end}`).join(', ')
  process.stdout.write(`R17: searches ended ${words}; ${inOneLine(reports)}\n`)
  expect(reports.flatMap(violationsOf)).toEqual([])
  return ends
}

function violationsOf({ seed, violations, refusedUnforeseen }: WorldReport): string[] {
  return [
    ...violations.map((words) => `SEED=${seed}: ${words}`),
    ...(refusedUnforeseen > 0 ? [`SEED=${seed}: ${refusedUnforeseen} requests refused without anybody else`] : []),
  ]
}

function inOneLine(reports: readonly WorldReport[]): string {
  const count = (of: 'days' | 'crashes' | 'faults' | 'requests' | 'jobs') =>
    `${total(reports, of).toLocaleString('en', { maximumFractionDigits: 1 })} ${of}`
  const bad = reports.flatMap(violationsOf).length
  return `R1 R2: ${bad} bad in ${count('days')}, ${count('crashes')}, ${count('faults')}, ${count('requests')}, ${count('jobs')}`
}

function total(reports: readonly WorldReport[], of: 'days' | 'crashes' | 'faults' | 'requests' | 'jobs'): number {
  return reports.reduce((sum, report) => sum + report[of], 0)
}
