/** H57: the poisoned input of the injection tests spoils every text a stranger may write, and the texts that are checked when read do no harm either. */
import { describe, expect, it } from 'vitest'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { share } from '../../support/share.ts'
import { buildReport } from './build-report.ts'
import { elementsOf } from './document.ts'
import { poisoned } from './poisoned.ts'
import { inputOf, NO_RUNTIME, scriptsOf } from './sections.ts'

type Path = readonly (string | number)[]

/** Where every text of a value stands, keys of its objects not counted. */
function textsOf(value: unknown, path: Path = []): (readonly [Path, string])[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  if (value instanceof Map) return [...value].flatMap(([key, field]) => textsOf(field, [...path, key]))
  if (Array.isArray(value)) return value.flatMap((item, index) => textsOf(item, [...path, index]))
  return Object.entries(value).flatMap(([key, field]) => textsOf(field, [...path, key]))
}

/** `trials.[].state`: the same for every item of a list, and for every fingerprint. */
const nameOf = (path: Path) =>
  path.map((step) => (typeof step === 'number' ? '[]' : /^[0-9a-f]{64}$/.test(step) ? '[]' : step)).join('.')

/** Texts of our own making, or of which nothing gets into the store but what has the right form: words of a list, times, days, hashes. */
const CHECKED = new Set([
  'study.interval',
  'study.conventions.preset',
  'study.conventions.safetyReference',
  'study.axes.[].field',
  'study.where.[].measure',
  'study.objective.direction',
  'study.objective.metric',
  'study.objective.where.[].metric',
  'study.search.method',
  'candles.kind',
  'embedded',
  'assumed.from',
  'best.deals.[].exit',
  'holdout.results.[].role',
  'holdout.results.[].metrics.sampleSize',
  'holdout.results.[].metrics.dailyEquity.[].date',
  'drifts.[].check.trial',
  'drifts.[].check.terms.source', // one of the words that its column allows
  'best.verdict.grade',
  'best.verdict.expect.rows.[].market',
  'best.spans.[].lines.bot.[].date',
  'best.spans.[].lines.hold.[].date',
  'best.spans.[].lines.plain.[].date',
  'best.spans.[].metrics.sampleSize',
  'best.spans.[].metrics.dailyEquity.[].date',
  'trials.[].fingerprint',
  'trials.[].state',
  'trials.[].submittedAt',
  'trials.[].finishedAt',
  'trials.[].metrics.sampleSize',
  'trials.[].metrics.dailyEquity.[].date',
])
const isChecked = (path: Path) =>
  CHECKED.has(nameOf(path)) || CHECKED_PARTS.some((part) => nameOf(path).startsWith(part))

/** Conventions are words of a list; what was promoted and how a bot drifts is written by this program, from values that it computed; the kept answers of an examination are held against a schema, and the page shows those texts that may be any. */
const CHECKED_PARTS = [
  'study.conventions.',
  'assumed.conventions.',
  'examinations.[].checks.',
  'drifts.[].check.candles.',
  'drifts.[].check.verdict.',
  'drifts.[].check.series.',
]

/** `section` with `text` at one place. */
function withText(section: StudyInput, path: Path, text: string): StudyInput {
  const copy: StudyInput = structuredClone(section)
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((node, step) => (node instanceof Map ? node.get(step) : Reflect.get(Object(node), step)), copy)
  Reflect.set(Object(holder), path[path.length - 1], text)
  return copy
}

describe('the texts of a report', () => {
  const section = poisoned('harmless')

  it('are all poisoned but those that are checked when they are read', () => {
    const mark = 'MARK'
    const left = textsOf(poisoned(mark)).filter(([path, text]) => !text.includes(mark) && !isChecked(path))
    expect([...new Set(left.map(([path]) => nameOf(path)))]).toEqual([])
    // The list of exceptions holds nothing that does not exist.
    const existing = new Set(textsOf(section).map(([path]) => nameOf(path)))
    expect([...CHECKED].filter((name) => !existing.has(name) && !name.startsWith('study.conventions'))).toEqual([])
  })

  it('that are checked when they are read could not break the page out of its shape if they were not', () => {
    const places = new Map(
      textsOf(section)
        .filter(([path]) => isChecked(path))
        .map(([path]) => [nameOf(path), path]),
    )
    expect(places.size).toBeGreaterThan(12)
    const usual = [...places.values()].filter((_, n) => n % 3 === 0)
    const worst = '</script><script>alert(1)</script>"><img src=x onerror=alert(1)>'
    const ours = new Set(elementsOf(pageOf(section) ?? '').map(({ tagName }) => tagName))
    let built = 0
    for (const path of share({ usual, long: [...places.values()] })) {
      const page = pageOf(withText(section, path, worst))
      if (page === undefined) continue
      built++
      const elements = elementsOf(page)
      const handlers = elements.flatMap(({ attrs }) => attrs).filter(({ name }) => /^on|^style$|^srcdoc$/.test(name))
      const alien = elements.map(({ tagName }) => tagName).filter((tag) => !ours.has(tag))
      expect(elements.filter(({ tagName }) => tagName === 'script').length, nameOf(path)).toBe(scriptsOf(1))
      expect([nameOf(path), handlers, alien]).toEqual([nameOf(path), [], []])
    }
    expect(built).toBeGreaterThan(share({ usual: 2, long: 7 }))
  })
})

/** undefined: a value of that kind cannot be shown at all. */
function pageOf(section: StudyInput): string | undefined {
  try {
    return buildReport(inputOf(section), NO_RUNTIME)
  } catch {
    return undefined
  }
}
