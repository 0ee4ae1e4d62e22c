/** The league's figures: every share and mean with its 90 % interval over months, or over made-up markets. */
import { GRADE_NAMES, GRADES, type Grade } from '../../../src/workbench/verdict/judge.ts'
import { type Estimate, estimate, STATISTICS } from '../method/estimate.ts'
import { type GradedRecord, RULES, type Rule, type WindowRecord } from './play.ts'

export interface LeagueTable {
  readonly title: string
  readonly head: readonly string[]
  readonly lines: readonly (readonly string[])[]
}

type Of<T> = readonly { readonly record: WindowRecord; readonly value: T }[]

export function leagueTables(records: readonly WindowRecord[]): readonly LeagueTable[] {
  const recorded = records.filter(({ kind }) => kind === 'recorded')
  const graded = recorded.flatMap((record) => record.graded.map((one) => ({ record, value: one })))
  return [
    rulesTable(recorded),
    pairsTable(recorded),
    gradesTable(graded),
    orderTable(graded),
    ...(['noEdge', 'planted'] as const).map((kind) => madeUpTable(records, kind)),
    coverageTable(graded),
  ]
}

const rules = Object.keys(RULES) as readonly Rule[] // keys of a const literal

function rulesTable(records: readonly WindowRecord[]): LeagueTable {
  const line = (rule: Rule) => {
    const of = records.map((record) => ({ record, value: record.next[rule] }))
    return [
      RULES[rule],
      meanOf(of, ({ percentile }) => percentile),
      meanOf(of, ({ excess }) => excess),
      shareOf(of, ({ losesFivePercent }) => losesFivePercent),
    ]
  }
  return {
    title: `Rules: what the choice of 45 days did in the next 15 (${records.length} windows)`,
    head: ['', 'percentile', 'excess over holding, per 1,000', 'lost more than 5 %'],
    lines: rules.map(line),
  }
}

function pairsTable(records: readonly WindowRecord[]): LeagueTable {
  const pair = (one: Rule, other: Rule) => [
    `${RULES[one]} − ${RULES[other]}`,
    meanOf(
      records.map((record) => ({ record, value: record.next[one].percentile - record.next[other].percentile })),
      (value) => value,
    ),
  ]
  return {
    title: 'The same windows, difference of percentiles',
    head: ['', 'points'],
    lines: [
      pair('stressedPerUsed', 'netProfit'),
      pair('stressedPerUsed', 'plain'),
      pair('perUsed', 'netProfit'),
      pair('plateau', 'stressedPerUsed'),
    ],
  }
}

function gradesTable(graded: Of<GradedRecord>): LeagueTable {
  const line = (grade: Grade) => {
    const of = graded.filter(({ value }) => value.grade === grade)
    return [
      GRADES[grade].says,
      String(of.length),
      shareOf(graded, (one) => one.grade === grade),
      meanOf(of, ({ after }) => after.percentile),
      meanOf(of, ({ after }) => after.excess),
      shareOf(of, ({ after }) => after.losesFivePercent),
    ]
  }
  return {
    title: 'Grades at the end of the 45 days, and the 15 days that began 15 days later',
    head: ['', 'n', 'share', 'percentile', 'excess over holding, per 1,000', 'lost more than 5 %'],
    lines: GRADE_NAMES.map(line),
  }
}

const worstTwo: readonly Grade[] = ['holdingDidBetter', 'holdingAsGood']
const bestTwo: readonly Grade[] = ['ahead', 'beat']

function orderTable(graded: Of<GradedRecord>): LeagueTable {
  const line = (title: string, grades: readonly Grade[]) => {
    const of = graded.filter(({ value }) => grades.includes(value.grade))
    return [
      title,
      String(of.length),
      meanOf(of, ({ after }) => after.percentile),
      shareOf(of, ({ after }) => after.excess > 0),
      shareOf(of, ({ after }) => after.losesFivePercent),
    ]
  }
  return {
    title: 'Of the judged ones, grades taken together',
    head: ['', 'n', 'percentile', 'beat holding', 'lost more than 5 %'],
    lines: [
      line('Holding did better, or as well', worstTwo),
      line('No better than a plain ladder', ['noBetterThanPlain']),
      line('Ahead, or beat', bestTwo),
    ],
  }
}

function madeUpTable(records: readonly WindowRecord[], kind: 'noEdge' | 'planted'): LeagueTable {
  const of = records.filter((record) => record.kind === kind)
  const ofRule = (rule: Rule) =>
    of.flatMap((record) => record.graded.filter((one) => one.rule === rule).map((value) => ({ record, value })))
  const [byStress, byProfit] = [ofRule('stressedPerUsed'), ofRule('netProfit')]
  return {
    title: `${of.length} made-up markets ${kind === 'noEdge' ? 'without an edge' : 'with a planted edge'}: share of winners with each grade`,
    head: ['', RULES.stressedPerUsed, RULES.netProfit],
    lines: GRADE_NAMES.map((grade) => [
      GRADES[grade].says,
      ...[byStress, byProfit].map((all) => shareOf(all, (one) => one.grade === grade)),
    ]),
  }
}

function coverageTable(graded: Of<GradedRecord>): LeagueTable {
  const known = graded.flatMap(({ record, value: { covered } }) =>
    covered === null ? [] : [{ record, value: covered }],
  )
  const line = (title: string, of: typeof known) => [
    title,
    String(of.length),
    shareOf(of, ({ profit }) => profit),
    shareOf(of, ({ drawdown }) => drawdown),
  ]
  return {
    title: '“What to expect”: how often the next 15 days ended inside',
    head: ['', 'n', '9 of 10 between', 'drawdown below'],
    lines: [
      line('all', known),
      ...(['rose', 'stood', 'fell'] as const).map((market) =>
        line(
          `the market ${market}`,
          known.filter(({ value }) => value.market === market),
        ),
      ),
    ],
  }
}

function meanOf<T>(of: Of<T>, value: (one: T) => number): string {
  return spelt(measured(of, value), (number) => number.toFixed(1))
}

function shareOf<T>(of: Of<T>, holds: (one: T) => boolean): string {
  return spelt(
    measured(of, (one) => (holds(one) ? 100 : 0)),
    (number) => `${number.toFixed(1)} %`,
  )
}

function measured<T>(of: Of<T>, value: (one: T) => number): Estimate {
  const observations = of.map(({ record: { cluster }, value: one }) => ({ value: value(one), cluster, month: cluster }))
  return estimate(observations, STATISTICS.mean)
}

function spelt({ value, interval }: Estimate, text: (number: number) => string): string {
  if (value === null) return '–'
  const minus = (number: number) => text(number).replace(/^-/, '−')
  return interval === null
    ? minus(value)
    : `${minus(value)} [${interval.map((end) => minus(end).replace(' %', '')).join(', ')}]`
}
