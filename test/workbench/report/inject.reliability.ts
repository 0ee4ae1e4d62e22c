/** R14: every payload in every text field, opened in Chromium: nothing of it runs, and nothing is asked of the network. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildReport } from '../../../src/workbench/report/build.ts'
import { readChartRuntime } from '../../../src/workbench/report/runtime.ts'
import { findBrowser, launchBrowser, openReport } from '../../support/browser.ts'
import { skeleton } from './document.ts'
import { PAYLOADS } from './payloads.ts'
import { poisoned } from './poisoned.ts'
import { inputOf, NO_RUNTIME } from './sections.ts'

const browserPath = findBrowser()

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  it(`${PAYLOADS.length} payloads run nothing, and every chart is drawn`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dcalab-inject-'))
    const browser = await launchBrowser(browserPath ?? '')
    const runtime = readChartRuntime()
    try {
      const perPage = 6
      for (let first = 0; first < PAYLOADS.length; first += perPage) {
        const file = join(folder, 'report.html')
        writeFileSync(file, buildReport(inputOf(...PAYLOADS.slice(first, first + perPage).map(poisoned)), runtime))
        const { page, trouble } = await openReport(browser, file)
        expect([first, trouble]).toEqual([first, []])
        expect(await page.locator('script').count()).toBe(4)
        const plots = await page.locator('.plot').count()
        expect(await page.locator('.plot svg').count()).toBe(plots)
        await page.close()
      }
    } finally {
      await browser.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

it('10,000 made-up texts change nothing of the shape of a page', () => {
  const harmless = skeleton(buildReport(inputOf(poisoned('harmless')), NO_RUNTIME))
  const piece = fc.constantFrom(
    ...['<', '>', '</', '/>', '"', "'", '`', '=', ' ', '&', ';', '#', '!--', '--', ']]>', '<![CDATA[', 'script', 'svg'],
    ...[
      'on',
      'error',
      'style',
      'src',
      'x',
      '\\',
      '\n',
      '\0',
      '\u2028',
      '\u202e',
      '\ud800',
      '\ufeff',
      '&lt',
      '&#x3c',
      '%3C',
    ],
  )
  const text = fc.oneof(
    fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', minLength: 1 }),
  )
  fc.assert(
    fc.property(text, (payload) => {
      expect(skeleton(buildReport(inputOf(poisoned(payload)), NO_RUNTIME))).toEqual(harmless)
    }),
    { numRuns: 10_000, seed: 20_261_121 },
  )
})
