/** A study whose dearest ladder costs all of a deal's capital. Pure. */
import { isNode, parseDocument } from 'yaml'
import type { ConfigField, DcaSpotConfig } from '../../contract/bot.ts'
import { ladderShape } from '../../engine/ladder.ts'
import { power } from '../../engine/numbers.ts'
import { Failure } from '../../errors.ts'
import { parseStudy } from './parse.ts'
import type { Study } from './study.ts'

/** Of a deal's end: they change no ladder. */
const ENDS: readonly ConfigField[] = ['takeProfit', 'stopLoss']

const DIGITS = 8

/**
 * The text of a study with another base order: the dearest ladder of its grid costs the capital of its deal, fees included, and no ladder costs more.
 * @throws Failure usage where the base order is varied, or where the safety orders alone cost more
 */
export function fitBudget(source: string, file: string): string {
  const study = parseStudy(source, { file })
  if (study.axes.some(({ field }) => field === 'dcaInitialOrderSize')) {
    throw new Failure('usage', '--fit-budget sets dcaInitialOrderSize, and the grid varies it', {
      hint: 'name one value of it under base',
    })
  }
  const size = fittingSize(study)
  if (size > 0) return withBaseOrder(source, size)
  throw new Failure('usage', '--fit-budget finds no base order: the safety orders alone cost more than the capital', {
    hint: 'lower safetyOrderSize, or raise investment and dcaTotalBudget',
  })
}

/** All else stays as it is, to the last space. */
function withBaseOrder(source: string, size: number): string {
  const document = parseDocument(source, { version: '1.2', schema: 'core', merge: false })
  const before = document.getIn(['base', 'dcaInitialOrderSize'], true)
  const range = isNode(before) ? before.range : null
  if (range === null || range === undefined) throw new Error('a study names a base order')
  return `${source.slice(0, range[0])}${size}${source.slice(range[1])}`
}

/** Quote, rounded down to 8 digits; not above 0 where nothing is left. Of a continuous axis the ends count. */
function fittingSize({ base, axes, conventions, costs }: Study): number {
  let least = Number.POSITIVE_INFINITY
  for (const config of laddersOf(base, axes)) {
    const [one, two] = [1, 2].map(
      (dcaInitialOrderSize) => ladderShape({ ...config, dcaInitialOrderSize }, conventions, costs).cost,
    )
    const capital = Math.min(config.investment, config.dcaTotalBudget)
    // A cost is a linear function of the base order.
    least = Math.min(least, (capital - (2 * one - two)) / (two - one))
  }
  const unit = power(10, Math.floor(Math.log10(least)) + 1 - DIGITS)
  const rounded = Number(least.toPrecision(DIGITS))
  return least <= 0 || rounded <= least ? rounded : Number((least - unit).toPrecision(DIGITS))
}

function* laddersOf(base: Study['base'], axes: Study['axes']): Generator<DcaSpotConfig> {
  const varied = axes.filter(({ field }) => !ENDS.includes(field))
  const fixed = axes.map(({ field, values }) => [field, values[0]])
  const counts = varied.map(({ values }) => values.length)
  const points = counts.reduce((product, count) => product * count, 1)
  for (let point = 0; point < points; point++) {
    let rest = point
    const chosen = varied.map(({ field, values }, axis) => {
      const value = values[rest % counts[axis]]
      rest = Math.floor(rest / counts[axis])
      return [field, value]
    })
    yield { ...base, ...Object.fromEntries([...fixed, ...chosen]) } as DcaSpotConfig // base and axes have every field
  }
}
