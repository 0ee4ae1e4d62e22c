/** A report opened from its file in Firefox: its charts are drawn, and its engine says what is stored. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { generateCandles } from '../../../src/candles/synthetic/generate.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import { findFirefox, launchFirefox } from '../../support/firefox.ts'
import { fixtureStudy } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { buildReport } from './build-report.ts'
import { computedSection } from './computed-study.ts'
import { idOf } from './section-table.ts'
import { inputOf, SMALL_AXES } from './sections.ts'

const firefoxPath = findFirefox()

it.skipIf(firefoxPath === undefined)(
  'in Firefox every chart is drawn, and a trial is recomputed as it is stored',
  async () => {
    const study = fixtureStudy({ axes: [...SMALL_AXES, { field: 'dcaPriceScalePercent', values: [1] }] })
    const candles = generateCandles({ seed: 3, interval: '5m', from: study.period.from, days: 28 })
    const section = computedSection(study, candles)
    const file = join(temporaryFolder(), 'report.html')
    writeFileSync(file, buildReport(inputOf(section), readPageRuntime()))
    const firefox = await launchFirefox(firefoxPath ?? '')
    try {
      await firefox.open(file)
      await firefox.textOf('document.documentElement.dataset.drawn')
      await firefox.textOf(`String(dispatchEvent(new Event('beforeprint')))`) // those that are not near are drawn, too
      // those with an id are Node's; the others are filled by what the page computes
      const all = await firefox.textOf(`String(document.querySelectorAll('.plot[id]').length)`)
      await expect.poll(() => firefox.textOf('document.documentElement.dataset.drawn'), { timeout: 20_000 }).toBe(all)
      expect(await firefox.textOf(`String(document.querySelectorAll('#plot-scatter .points_marks path').length)`)).toBe(
        '6',
      )
      const trial = idOf(section.trials[0])
      await firefox.textOf(`(location.hash = 'trial=${trial}')`)
      const shown = `document.querySelector('.inspector[data-shown="${trial}"] [data-local]')`
      expect(await firefox.textOf(`${shown}?.dataset.local`)).toBe('exact')
      expect(
        await firefox.textOf(
          `String(document.querySelectorAll('[data-part=deals] canvas, [data-part=deals] svg').length > 0)`,
        ),
      ).toBe('true')
      expect(firefox.trouble()).toEqual([])
    } finally {
      await firefox.close()
    }
  },
)
