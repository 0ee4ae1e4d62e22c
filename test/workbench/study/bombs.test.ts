/** H61 in figures, at length only (every run refuses the same bombs in `hostile-files.test.ts`): every bomb is refused within 200 ms of work, and the program that reads it grows by less than 50 MB. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseStudy } from '../../../src/workbench/study/parse.ts'
import { desk, ended, program } from '../../support/dcalab.ts'
import { isLong } from '../../support/share.ts'
import { BOMBS, bombedGrid, GRID_BOMBS } from './bombs.ts'
import { exampleStudy, problemsOf } from './example.ts'

const ALL: Readonly<Record<string, string>> = {
  ...BOMBS,
  ...Object.fromEntries(Object.entries(GRID_BOMBS).map(([name, grid]) => [`a grid: ${name}`, bombedGrid(grid)])),
}
const file = 'study.yaml'
const ordinary = JSON.stringify(exampleStudy({ takeProfit: [1, 2] }))

describe.runIf(isLong)('measured on the program', () => {
  it('at least 30 bombs, each refused within 200 ms of processor time', () => {
    expect(Object.keys(ALL).length).toBeGreaterThanOrEqual(30)
    parseStudy(ordinary, { file }) // what the first call compiles is no bomb's fault
    const slow = Object.entries(ALL).flatMap(([name, text]) => {
      const before = process.cpuUsage()
      problemsOf(() => parseStudy(text, { file }))
      const { user, system } = process.cpuUsage(before)
      const ms = (user + system) / 1000
      process.stdout.write(`${ms.toFixed(0).padStart(5)} ms  ${name}\n`)
      return ms > 200 ? [`${name}: ${ms.toFixed(0)} ms`] : []
    })
    expect(slow).toEqual([])
  })

  it('each within 50 MB of what an ordinary study takes', async () => {
    const at = desk()
    const tellPeak = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))"
    const peakOf = async (text: string) => {
      writeFileSync(join(at.folder, file), text)
      const args = ['--import', `data:text/javascript,${tellPeak}`, program, 'study', 'check', file]
      const { code, stderr } = await ended(at.startNode(args))
      return { code, megabytes: (Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024) / 1e6 }
    }
    const usual = await peakOf(ordinary)
    expect(usual.code).toBe(0)
    const large: string[] = []
    for (const [name, text] of Object.entries(ALL)) {
      const { code, megabytes } = await peakOf(text)
      expect([name, code]).toEqual([name, 2])
      const growth = megabytes - usual.megabytes
      process.stdout.write(`${growth.toFixed(0).padStart(5)} MB  ${name}\n`)
      if (growth > 50) large.push(`${name}: ${growth.toFixed(0)} MB`)
    }
    expect(large).toEqual([])
  })
})
