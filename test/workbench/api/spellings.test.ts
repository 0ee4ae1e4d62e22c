/** Money, percentages and times are read whole or not at all, and alike by whatever reads them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bringHelpers, draftFunctions, writeModule } from '../../../src/workbench/api/drafting/draft-module.ts'
import { builtInDialect, type Dialect, loadDialect } from '../../../src/workbench/api/reading/dialect.ts'
import {
  type Form,
  form,
  minutes,
  money,
  percent,
  type Read,
  share,
  time,
} from '../../../src/workbench/api/reading/dialect-library.ts'
import { readJobBody } from '../../../src/workbench/api/reading/read-job.ts'
import { timeOf } from '../../../src/workbench/api/reading/shape.ts'
import { projectRoot } from '../../support/dcalab.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { SPELLINGS, type Spelling } from './spellings.ts'

const HELPERS = { money, percent, share, minutes, time }

/** A number, or the reason why there is none. */
type Found = number | string

/** The rows that are read otherwise than the table says, each with what was found. */
function amiss(rows: readonly Spelling[], read: (row: Spelling) => Found): unknown[] {
  return rows.flatMap((row) => {
    const found = read(row)
    const isRight =
      typeof row.reads === 'number' ? found === row.reads : typeof found === 'string' && found.includes(row.reads)
    return isRight ? [] : [{ ...row, found }]
  })
}

function foundOf(read: Read): Found {
  if (typeof read === 'number') return read
  return read?.unread ?? String(read)
}

const readByHelper = ({ helper, value, form: options }: Spelling): Found => foundOf(HELPERS[helper](value, options))

/** A job that spells one of its numbers so, as the readers understand it. */
function readByReader({ helper, value }: Spelling): Found {
  const metrics = { netProfit: 1, roiPercent: 1, dealDuration: { average: 1 } }
  if (helper === 'time') {
    const job = readJobBody({ id: 'job-1', createdAt: value }, '', builtInDialect.jobState)
    return job?.createdAt ?? foundOf(time(value))
  }
  const told = {
    money: { ...metrics, netProfit: value },
    percent: { ...metrics, roiPercent: value },
    minutes: { ...metrics, dealDuration: { average: value } },
    share: metrics,
  }[helper]
  const result = readJobBody({ id: 'job-1', result: { metrics: told } }, '', builtInDialect.jobState)?.result
  const path = { money: 'netProfit', percent: 'roiPercent', minutes: 'dealDuration.average', share: '' }[helper]
  const { netProfit = null, roiPercent = null, dealDuration } = result?.metrics ?? {}
  const number = { money: netProfit, percent: roiPercent, minutes: dealDuration?.average ?? null, share: null }[helper]
  return number ?? result?.flags[path] ?? 'no reason'
}

it('there are 110 spellings and more, a third of them refused', () => {
  expect(SPELLINGS.length).toBeGreaterThanOrEqual(110)
  expect(SPELLINGS.filter(({ reads }) => typeof reads === 'string').length).toBeGreaterThan(SPELLINGS.length / 3)
})

it('the helpers of a dialect read each of them, or say why not', () => {
  expect(amiss(SPELLINGS, readByHelper)).toEqual([])
})

it('a helper that refuses names the value, and what it says passes through JSON', () => {
  for (const { helper, value, form: options } of SPELLINGS) {
    const read = HELPERS[helper](value, options)
    if (typeof read === 'number') continue
    expect(JSON.parse(JSON.stringify(read))).toEqual(read)
    const digits = typeof value === 'string' ? value.replace(/^[^\d]*|[^\d]*$/g, '') : ''
    expect(foundOf(read)).toContain(digits)
  }
})

it('what most services write is read at once, and as it is read with a space before it', () => {
  const digits = fc.stringMatching(/^\d{1,4}(?:,\d{2,4}){0,2}$/)
  const texts = fc.record({
    sign: fc.constantFrom('', '-'),
    whole: digits,
    fraction: fc.option(fc.stringMatching(/^\d{1,20}$/), { nil: undefined }),
    unit: fc.constantFrom('', ' ', 'USDT', ' USDT', '%', ' %', ' EUR', ' BPS', 'E'),
  })
  const forms = fc.constantFrom<Form>({}, { decimal: '.' }, { decimal: ',' }, { unit: 'USDT' }, { absolute: true })
  const helpers = fc.constantFrom(money, percent, share)
  fc.assert(
    fc.property(texts, forms, helpers, ({ sign, whole, fraction, unit }, options, read) => {
      const text = `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${unit}`
      const asOther = foundOf(read(` ${text}`, options))
      expect(foundOf(read(text, options))).toBe(typeof asOther === 'number' ? asOther : asOther.replace('" ', '"'))
    }),
    { numRuns: 2_000 },
  )
})

it('the readers of replies read them alike where the text alone says what it is', () => {
  const plain = SPELLINGS.filter(({ helper, form: options }) => options === undefined && helper !== 'share')
  expect(amiss(plain, readByReader)).toEqual([])
})

/** What a dialect makes of a job, as the readers understand it; `job`: the body with the value at its place. */
function readByDialect({ dialect, body, row }: { dialect: Dialect; body: unknown; row: Spelling }): Found {
  const reading = readJobBody(dialect.job(body), '', dialect.jobState)
  const { metrics, flags } = reading?.result ?? {}
  if (row.helper === 'time') {
    const unread = Object(dialect.job(body)).createdAt
    return reading?.createdAt ?? foundOf(unread)
  }
  const [number, path] = {
    money: [metrics?.netProfit, 'netProfit'] as const,
    percent: [metrics?.roiPercent, 'roiPercent'] as const,
    share: [metrics?.timeInDealPercent ?? metrics?.winRatePercent, 'timeInDealPercent'] as const,
    minutes: [metrics?.dealDuration.average, 'dealDuration.average'] as const,
  }[row.helper]
  return number ?? flags?.[path] ?? 'no reason'
}

const plainRows = SPELLINGS.filter(({ form: options }) => options === undefined)

it('the example that is shipped reads them alike', async () => {
  const dialect = await loadDialect(join(projectRoot, 'studies/example-dialect.mjs'))
  const read = (row: Spelling) => {
    const { helper, value } = row
    const key = { money: 'gain', percent: 'gainPercent', share: 'exposure', minutes: 'held', time: '' }[helper]
    const data = { jobId: 'job-1', report: { [key]: value }, ...(helper === 'time' ? { created: value } : {}) }
    return readByDialect({ dialect, body: { data }, row })
  }
  expect(amiss(plainRows, read)).toEqual([])
})

it('a draft takes its form from what it saw, and reads them alike', async () => {
  const folder = temporaryFolder()
  const draftOf = async (name: string, seen: object) => {
    const body = { rows: [{ id: 'job-1', state: 'DONE', ...seen }] }
    const bodies = { jobList: body, jobs: [] }
    const file = join(folder, `${name}.mjs`)
    const module = writeModule(draftFunctions(bodies, new Set(['job', 'jobState'])), undefined)
    writeFileSync(file, bringHelpers(module ?? '', bodies))
    return { dialect: await loadDialect(file), text: readFileSync(file, 'utf8') }
  }
  const seen = (amount: string, rate: string) => ({ profit: amount, roi: rate, winRate: rate.replace(/ %/, '') })
  const [points, commas, undecided] = await Promise.all([
    draftOf('points', seen('1,853.34 USDT', '0.5 %')),
    draftOf('commas', seen('1.853,34 USDT', '0,5 %')),
    draftOf('undecided', { profit: '1,234', roi: '5 %', winRate: 0.5 }),
  ])
  expect(points.text).toContain(`form({ decimal: '.' }) // as in "1,853.34 USDT"`)
  expect(commas.text).toContain(`form({ decimal: ',' }) // as in "1.853,34 USDT"`)
  expect(undecided.text).toContain("import { money, percent, share } from 'dcalab'")
  const read = (row: Spelling) => {
    const { helper, value, reads } = row
    const agrees = (decimal: '.' | ',') => foundOf(HELPERS[helper](value, { decimal })) === reads
    const { dialect } = typeof reads === 'string' ? undecided : agrees('.') ? points : commas
    const key = { money: 'profit', percent: 'roi', share: 'winRate', minutes: '', time: '' }[helper]
    const { metrics, flags } =
      readJobBody(dialect.job({ id: 'job-1', profit: '5 USDT', [key]: value }), '', dialect.jobState)?.result ?? {}
    const path = { money: 'netProfit', percent: 'roiPercent', share: 'winRatePercent', minutes: '', time: '' }[helper]
    const { netProfit, roiPercent, winRatePercent } = metrics ?? {}
    const number = { money: netProfit, percent: roiPercent, share: winRatePercent, minutes: null, time: null }[helper]
    return number ?? flags?.[path] ?? 'no reason'
  }
  expect(
    amiss(
      plainRows.filter(({ helper }) => ['money', 'percent', 'share'].includes(helper)),
      read,
    ),
  ).toEqual([])
})

it.each(['5 K', '5 KUSD', '5 MUSDT', '1.2 BLN', '3 MIL', '2 TRN', '1.2 KK', '4 LAC'])(
  'money in %s is not read as units',
  (text) => expect(money(text)).not.toBeTypeOf('number'),
)

it('what a helper could not read becomes the reason of the metric', () => {
  const unread = money('1,234 USDT')
  const body = { id: 'job-1', result: { metrics: { netProfit: unread, sharpe: unread, closedDeals: unread } } }
  const { metrics, flags } = readJobBody(body, '', builtInDialect.jobState)?.result ?? {}
  expect([metrics?.netProfit, metrics?.sharpe, metrics?.closedDeals]).toEqual([null, null, null])
  const reason = "1,234 is 1234 or 1.234: say which with form({ decimal: '.' })"
  expect([flags?.netProfit, flags?.sharpe, flags?.closedDeals]).toEqual([reason, reason, reason])
})

it('deals that are not read say which of their numbers it was', () => {
  const deal = { openedAt: '2025-01-01', closedAt: '2025-01-02', exit: 'takeProfit', safetyOrders: 0 }
  const numbers = { quantity: 1, cost: 1, proceeds: 1, price: 1, profit: '1,234' }
  const body = { id: 'job-1', result: { metrics: {}, deals: [{ ...deal, ...numbers }] } }
  expect(readJobBody(body, '', builtInDialect.jobState)?.result?.flags.deals).toBe(
    "1 of 1 deals could not be read (profit: 1,234 is 1234 or 1.234: say which with form({ decimal: '.' }))",
  )
})

it('the times of a deal are what the helper reads in them, also of texts that only seem to be times', () => {
  const days = [
    '1999-12-31',
    '2000-01-01',
    '2024-02-28',
    '2024-02-29',
    '2023-02-29',
    '2025-04-31',
    '2025-13-01',
    '2025-06-00',
  ]
  const ends = [
    'T00:00:00.000Z',
    'T23:59:59.999Z',
    'T24:00:00.000Z',
    'T24:00:00.001Z',
    'T12:60:00.000Z',
    'T12:00:60.000Z',
    'T12:00:00Z',
    ' 07:08:09.123Z',
  ]
  const texts = [...days, '2199-12-28', '2200-01-01'].flatMap((day) => ends.map((end) => `${day}${end}`))
  const rest = { exit: 'takeProfit', safetyOrders: 0, quantity: 1, cost: 1, proceeds: 1, price: 1, profit: 1 }
  const found = texts.map((text) => {
    const body = { id: 'job-1', result: { metrics: {}, deals: [{ ...rest, openedAt: text, closedAt: text }] } }
    return readJobBody(body, '', builtInDialect.jobState)?.result?.deals?.at(0)?.openedAt
  })
  const isoOf = (read: Read) => (typeof read === 'number' ? new Date(read).toISOString() : undefined)
  expect(found).toEqual(texts.map((text) => isoOf(time(text))))
  expect(new Set(found.map((iso) => iso === undefined))).toEqual(new Set([true, false]))
})

it('a form binds all helpers, one call may differ, and nothing there stays nothing', () => {
  const german = form({ decimal: ',', unit: 'EUR', zone: '+01:00', dates: 'dmy' })
  expect(german.money('1.853 EUR')).toBe(1853)
  expect(german.money('1.853', { decimal: '.' })).toBe(1.853)
  expect(german.percent('1.250 %')).toBe(1250)
  expect(german.share('0,5')).toBe(50)
  expect(german.minutes('1.234 s')).toBeCloseTo(1234 / 60, 10)
  expect(german.time('03.04.2025 01:00')).toBe(Date.UTC(2025, 3, 3))
  for (const nothing of [null, undefined, { unread: 'said before' }]) {
    expect([german.money(nothing), german.time(nothing), german.minutes(nothing)]).toEqual([nothing, nothing, nothing])
  }
})

it.each([
  [{ decimal: ';' }, "form: decimal is \";\"; expected '.' or ','"],
  [{ zone: 'Europe/Berlin' }, "form: zone is \"Europe/Berlin\"; expected 'UTC' or an offset as '+02:00'"],
  [{ decimals: ',' }, 'form: decimals is not known; known are decimal, unit, dates, zone, from, absolute'],
])('a form that is none is refused at once: %j', (options, reason) => {
  expect(() => form(Object(options))).toThrow(reason)
})

it('a time in our own form is read without its reader, and alike', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('2000-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }), (date) => {
      expect([timeOf(date.toISOString()), time(date.toISOString())]).toEqual([date.getTime(), date.getTime()])
    }),
  )
  for (const text of ['2023-02-30T00:00:00.000Z', '2023-01-28T24:00:00.000Z'])
    expect(timeOf(text)).toEqual(readOrNull(text))
})

function readOrNull(text: string): number | null {
  const read = time(text)
  return typeof read === 'number' ? read : null
}
