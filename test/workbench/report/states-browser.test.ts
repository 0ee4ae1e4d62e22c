/**
 * Every state that a study can be in when its report is made, in Chromium: what is said first stands on one screen, nothing is asked of the network or
 * said on the console, and axe-core finds nothing, by day and by night. Axe takes seconds for a page: in a short run it reads the two states that have
 * every colour and one of the others, another one at each commit.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import {
  COLOURS_ALONE,
  closePages,
  complaintsIn,
  findBrowser,
  openReport,
  sharedBrowser,
} from '../../support/browser.ts'
import { fixtureConfigs, fixtureStudy, fixtureTrial, fixtureTrials } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { isLong, share } from '../../support/share.ts'
import { byTurn } from '../../support/turn.ts'
import { buildReport } from './build-report.ts'
import { examinedSection } from './examined-section.ts'
import { bestOf, failedTrial, inputOf, SMALL_AXES, sectionOf, smallSection, spanOf, verdictOf } from './sections.ts'

const judged = bestOf({ verdict: verdictOf(), spans: [spanOf()] })
const small = fixtureStudy({ axes: SMALL_AXES })
const trials = fixtureTrials(small)

interface State {
  readonly name: string
  readonly sections: () => readonly StudyInput[]
  /** What only a page in this state says, or does not. */
  readonly says?: string
  readonly lacks?: string
  /** Read by axe at every run, by night too: between them they have every colour. */
  readonly colours?: boolean
}

const STATES: readonly State[] = [
  {
    name: 'an examined study',
    sections: () => [examinedSection(smallSection({ best: judged }))],
    says: 'Examined 2026-02-03',
    colours: true,
  },
  { name: 'a study on two markets', sections: onTwoMarkets, says: 'over 2 markets' },
  {
    name: 'a study with failures',
    sections: () => [
      smallSection({
        best: judged,
        trials: trials.map((trial, index) => (index % 2 === 0 ? failedTrial(trial, `no candles ${index}`) : trial)),
      }),
    ],
    says: 'no candles 2',
    colours: true,
  },
  {
    name: 'a study of which everything failed',
    sections: () => [
      smallSection({ best: null, trials: trials.map((trial) => failedTrial(trial, 'the service was closed')) }),
    ],
    says: '0 configurations to come, 6 failed',
  },
  {
    name: 'a study of which nothing is finished',
    sections: () => [
      smallSection({
        best: null,
        trials: trials.map((trial) => ({ ...trial, state: 'planned' as const, metrics: null })),
      }),
    ],
    says: '6 configurations to come',
  },
  {
    name: 'a study with nothing inside of its bounds',
    sections: () => {
      const where = [{ metric: 'closedDeals', bounds: { min: 100_000 } }] as const
      const objective = { direction: 'maximize', metric: 'netProfit', where } as const
      return [sectionOf(fixtureStudy({ axes: SMALL_AXES, objective }), { best: null })]
    },
    says: 'None of 6 configurations meets the limits of the objective',
  },
  {
    name: 'a study whose results keep no equity',
    sections: () => [
      smallSection({
        best: bestOf({ verdict: verdictOf() }),
        trials: trials.map((trial) => ({ ...trial, metrics: { ...trial.metrics, dailyEquity: [] } })),
      }),
    ],
    lacks: 'Below peak, %',
  },
  ...(isLong ? [{ name: 'a study of 10,000 trials', sections: ofTenThousand, says: '10,000 trials' }] : []),
]

const coloured = STATES.filter(({ colours }) => colours === true)
const others = byTurn(
  STATES.filter((state) => !coloured.includes(state)),
  2,
)
const shown = share({ usual: [...coloured, ...others], long: STATES })
const axed = share({ usual: [...coloured, ...byTurn(others)], long: STATES })

function onTwoMarkets(): StudyInput[] {
  const markets = ['BTC', 'ETH'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
  const study = fixtureStudy({ axes: SMALL_AXES, markets })
  const everywhere = markets.flatMap((market, m) =>
    fixtureConfigs(SMALL_AXES).map((config, index) => {
      const trial = fixtureTrial(study, config, index + 7 * m)
      return { ...trial, market, fingerprint: `${m}${trial.fingerprint.slice(1)}` }
    }),
  )
  return markets.map((market) => sectionOf(study, { market, trials: everywhere, best: judged }))
}

function ofTenThousand(): StudyInput[] {
  const ten = Array.from({ length: 10 }, (_, index) => index + 1)
  const study = fixtureStudy({
    axes: [
      { field: 'dcaMaxSafetyOrders', values: ten },
      { field: 'dcaPriceScalePercent', values: ten.map((value) => 0.9 + value / 10) },
      { field: 'dcaVolumeScale', values: ten.map((value) => 1 + value / 10) },
      { field: 'takeProfit', values: ten.map((value) => value / 2) },
    ],
  })
  return [sectionOf(study, { best: judged })]
}

/** Of every verdict of the page, how far down it reaches in a window at whose top its study begins. */
const DEPTHS = `[...document.querySelectorAll('.verdict')].map((verdict) => {
  const top = verdict.closest('article')?.getBoundingClientRect().top ?? -scrollY
  return Math.round(verdict.getBoundingClientRect().bottom - top)
})`

const browserPath = findBrowser()

describe.skipIf(browserPath === undefined)('the report in Chromium', () => {
  const folder = temporaryFolder()
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
  })
  afterAll(async () => {
    await closePages(browser)
  })

  it.each(shown)('of $name says first things on one screen, asks for nothing and leaves nobody out', async (state) => {
    const sections = state.sections()
    const file = join(folder, 'report.html')
    writeFileSync(file, buildReport(inputOf(...sections), readPageRuntime()))
    const { page, trouble } = await openReport(browser, file)
    const text = (await page.locator('body').textContent()) ?? ''
    expect(state.says === undefined || text.includes(state.says)).toBe(true)
    expect(state.lacks !== undefined && text.includes(state.lacks)).toBe(false)
    const depths: unknown = await page.evaluate(DEPTHS)
    expect(depths).toHaveLength(1)
    for (const depth of Array.isArray(depths) ? depths : []) expect(depth).toBeLessThanOrEqual(900)
    if (axed.includes(state)) {
      await page.evaluate(axe.source) // the page allows no script but its own, so it is not put there as one
      expect(['by day', await page.evaluate(complaintsIn('document'))]).toEqual(['by day', []])
    }
    if (isLong || state.colours === true) {
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(['by night', await page.evaluate(complaintsIn('document', COLOURS_ALONE))]).toEqual(['by night', []])
    }
    expect(trouble).toEqual([])
    await page.close()
  })
})
