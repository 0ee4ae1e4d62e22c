/** The cookbook: questions that analysts of any study ask, each as one statement over the views. */
import { Failure, type Problem, suggest } from '../../../errors.ts'
import { type Parameters, type ParameterValue, readParameterValue } from '../sql/bind.ts'
import {
  betaAndAlpha,
  correlationOfEquity,
  daysToRecover,
  dealsByHour,
  safetyOrderDistribution,
  whenTheMarketRoseOrFell,
  whichTrialsTradeAlike,
  winnerOfOneMonthInTheNext,
  worstOpenLoss,
} from './deal-queries.ts'
import {
  type CookbookParameter,
  type CookbookQuery,
  capitalUsedAndIdle,
  costOfEachInsight,
  costSensitivity,
  feeShare,
  nearTheWinnerInAScreen,
  plateauAroundTheWinner,
  profitPerDrawdown,
  robustOverMarkets,
  screenAgainstService,
  shareOfOneMonth,
  stretchesOfAVerdict,
  unitsPerDay,
  whatARevisionChanged,
  whatTheStopBought,
  whichParameterHurts,
} from './queries.ts'

/** By the name that `--example` takes, in the order of the page. */
export const COOKBOOK: Readonly<Record<string, CookbookQuery>> = {
  'plateau-around-the-winner': plateauAroundTheWinner,
  'which-parameter-hurts': whichParameterHurts,
  'profit-per-drawdown': profitPerDrawdown,
  'share-of-one-month': shareOfOneMonth,
  'winner-of-one-month-in-the-next': winnerOfOneMonthInTheNext,
  'days-to-recover': daysToRecover,
  'worst-open-loss': worstOpenLoss,
  'beta-and-alpha': betaAndAlpha,
  'when-the-market-rose-or-fell': whenTheMarketRoseOrFell,
  'robust-over-markets': robustOverMarkets,
  'what-the-stop-bought': whatTheStopBought,
  'capital-used-and-idle': capitalUsedAndIdle,
  'fee-share': feeShare,
  'cost-sensitivity': costSensitivity,
  'deals-by-hour': dealsByHour,
  'safety-order-distribution': safetyOrderDistribution,
  'correlation-of-equity': correlationOfEquity,
  'which-trials-trade-alike': whichTrialsTradeAlike,
  'stretches-of-a-verdict': stretchesOfAVerdict,
  'near-the-winner-in-a-screen': nearTheWinnerInAScreen,
  'screen-against-service': screenAgainstService,
  'what-a-revision-changed': whatARevisionChanged,
  'cost-of-each-insight': costOfEachInsight,
  'units-per-day': unitsPerDay,
}

/** @throws Failure usage */
export function getExample(name: string): CookbookQuery {
  if (Object.hasOwn(COOKBOOK, name)) return COOKBOOK[name]
  throw new Failure('usage', `--example: there is no question "${name}"${suggest(name, Object.keys(COOKBOOK))}`, {
    hint: '`dcalab sql --examples` lists them',
  })
}

/**
 * The parameters of a question: what was given as text, for the others the usual value.
 * @throws Failure usage with every one that the question does not have or that is no number where it has to be
 */
export function parametersOf({ parameters }: CookbookQuery, given: Readonly<Record<string, string>>): Parameters {
  const problems = Object.entries(given).flatMap(([name, text]) => findProblem(name, text, parameters))
  if (problems.length > 0) throw new Failure('usage', 'the parameters do not fit the question', { problems })
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, boundTo(parameter, given[name])]),
  )
}

function findProblem(name: string, text: string, parameters: CookbookQuery['parameters']): readonly Problem[] {
  const place = `--param ${name}`
  if (!Object.hasOwn(parameters, name)) {
    const names = Object.keys(parameters)
    return [
      { place, message: `the question has ${names.map((known) => `:${known}`).join(', ')}${suggest(name, names)}` },
    ]
  }
  if (parameters[name].kind === 'text' || readParameterValue(text).kind === 'number') return []
  return [{ place, message: `expects a number, found "${text}"` }]
}

function boundTo({ kind, usual }: CookbookParameter, given: string | undefined): ParameterValue {
  const value = readParameterValue(given ?? (usual === null ? 'null' : String(usual)))
  return kind === 'text' && value.kind === 'number' ? { kind: 'text', text: value.digits } : value
}

/** As a file that any SQLite program runs: the words as comments, then the statement. */
export function scriptOf(name: string, { title, answers, parameters, sql }: CookbookQuery): string {
  const words = [`${title} (${name})`, '', ...answers.split(/(?<=\.) /), ...parameterLines(parameters)]
  return `${words.map((line) => `-- ${line}`.trimEnd()).join('\n')}\n${sql};\n`
}

function parameterLines(parameters: CookbookQuery['parameters']): string[] {
  return Object.entries(parameters).map(([name, { meaning, usual }]) => `:${name} = ${usual ?? 'NULL'}: ${meaning}`)
}
