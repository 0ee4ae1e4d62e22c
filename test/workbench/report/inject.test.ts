/** R14: whatever a service, a candle file or a market writes: the page keeps its shape, and nothing of it runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeBlock, dataBlock, html } from '../../../src/workbench/report/html.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import { findBrowser, launchBrowser, openReport } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { unpackBlocks } from '../../support/report-blocks.ts'
import { isLong, share } from '../../support/share.ts'
import { buildReport } from './build-report.ts'
import { attribute, elementsOf, skeleton, textOf } from './document.ts'
import { PAYLOADS } from './payloads.ts'
import { poisoned } from './poisoned.ts'
import { inputOf, NO_RUNTIME, scriptsOf } from './sections.ts'

/** Without the words of commands, each of which is kept whole: a payload has some of its own. */
function shapeOf(page: string): readonly string[] {
  return skeleton(page.replaceAll('<span class="word">', ''))
}

describe('a payload in every text field', () => {
  const harmless = shapeOf(buildReport(inputOf(poisoned('harmless')), NO_RUNTIME))

  it('is tried with at least 200 payloads', () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(200)
  })

  it('reaches the page in many places, so that the test means something', () => {
    const page = buildReport(inputOf(poisoned('harmless')), NO_RUNTIME)
    expect(page.split('harmless').length).toBeGreaterThan(30)
  })

  it('adds no element and no attribute to the page, and leaves the chart data readable', () => {
    expect(harmless.filter((element) => element.startsWith('script'))).toHaveLength(scriptsOf(1))
    expect(harmless.filter((element) => / (?:on\w+|style)\b/.test(element))).toEqual([])
    const some = PAYLOADS.filter((_, index) => index % share({ usual: 20, long: 1 }) === 0)
    for (const payload of new Set([...some, '__proto__'])) {
      const page = buildReport(inputOf(poisoned(payload)), NO_RUNTIME)
      expect(shapeOf(page), JSON.stringify(payload)).toEqual(harmless)
      expect(JSON.parse(unpackBlocks(page).get('document') ?? '').charts).toHaveLength(5)
    }
  })

  it('in several studies at once adds nothing either', () => {
    const two = (text: string) => shapeOf(buildReport(inputOf(poisoned(text), poisoned(text)), NO_RUNTIME))
    const expected = two('harmless')
    for (const payload of PAYLOADS.slice(0, share({ usual: 1, long: 20 }))) expect(two(payload)).toEqual(expected)
  })
})

describe('the html tag', () => {
  it('writes every value as text, in elements and in attributes', () => {
    for (const payload of PAYLOADS) {
      const [element] = elementsOf(html`<p title="${payload}">${payload}</p>`.toString()).filter(
        ({ tagName }) => tagName === 'p',
      )
      const shown = textOf(element)
      expect(shown).toBe(attribute(element, 'title'))
      if (/^[\x20-\x7e]*$/.test(payload)) expect(shown).toBe(payload)
    }
  })

  it('joins lists and drops what is absent', () => {
    expect(html`<i>${[html`<b>${1}</b>`, null, undefined, false, '<']}</i>`.toString()).toBe('<i><b>1</b>&lt;</i>')
  })

  it('writes data as base64, whatever they are', () => {
    for (const payload of PAYLOADS) {
      expect(dataBlock('data', Buffer.from(payload)).toString()).toMatch(
        /^<script [^>]*>[A-Za-z0-9+/]*={0,2}<\/script>$/,
      )
    }
  })

  it('refuses code that would end its own element', () => {
    for (const code of ['x</script>', '<!-- x', 'a<script>b', '</STYLE>']) {
      expect(() => codeBlock('script', code)).toThrow('would end it early')
    }
  })
})

const browserPath = isLong ? findBrowser() : undefined

/** Every payload in every text field, opened: nothing of it runs, and nothing is asked of the network. */
describe.skipIf(browserPath === undefined)('in Chromium', () => {
  it(`${PAYLOADS.length} payloads run nothing, and every chart is drawn`, async () => {
    const folder = temporaryFolder()
    const browser = await launchBrowser(browserPath ?? '')
    const runtime = readPageRuntime()
    try {
      const perPage = 6
      for (let first = 0; first < PAYLOADS.length; first += perPage) {
        const sections = PAYLOADS.slice(first, first + perPage).map(poisoned)
        const file = join(folder, 'report.html')
        writeFileSync(file, buildReport(inputOf(...sections), runtime))
        const { page, trouble } = await openReport(browser, file)
        expect([first, trouble]).toEqual([first, []])
        const ids = await page.locator('script').evaluateAll((scripts) => scripts.map(({ id }) => id))
        const ours = /^(?:document|s\d+-(?:trials|equity)|inspector-\d+)$/ // studies whose charts say the same share theirs
        expect(ids.filter((id) => !ours.test(id))).toEqual(['']) // the page’s own
        const plots = await page.locator('.plot').count()
        expect(await page.locator('.plot svg').count()).toBe(plots)
        await page.close()
      }
    } finally {
      await browser.close()
    }
  })
})

it.runIf(isLong)('10,000 made-up texts change nothing of the shape of a page', () => {
  const harmless = shapeOf(buildReport(inputOf(poisoned('harmless')), NO_RUNTIME))
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
      expect(shapeOf(buildReport(inputOf(poisoned(payload)), NO_RUNTIME))).toEqual(harmless)
    }),
    { numRuns: 10_000, seed: 20_261_121 },
  )
})
