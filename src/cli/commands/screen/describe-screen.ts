/** A screen in words: what was computed, and its top as a table. */
import type { CandlesBody } from '../../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { ScreenReport, ScreenReportAcross } from '../../../workbench/store/screen-record.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { metricColumns, metricTitle, rankingColumns, withError } from '../../metrics-table.ts'
import { type FittingTable, formatNumber, formatTime, type Line } from '../../output.ts'
import { type Column, fittingTable } from '../../table.ts'

type AnyReport = ScreenReport | ScreenReportAcross

/** Configurations may differ in something without effect, such as a stop that is never touched. The top shows one of them. */
export function describeFolding(report: AnyReport): string[] {
  const { top, folded, comparedOnly } = report
  const notes: string[] = []
  if (folded > 0) {
    const shown = top.length === 1 ? 'this one' : `one of these ${top.length}`
    const where = 'markets' in report ? ' on every market' : ''
    notes.push(`${folded} more trade identically to ${shown}${where} and are not listed`)
  }
  if (comparedOnly !== null) {
    notes.push(`only the best ${comparedOnly} were checked for identical trading; lower ranks may repeat`)
  }
  return notes
}

export function describeReport(study: Study, report: AnyReport): Line[] {
  const candles = 'markets' in report ? report.markets.map((market) => market.candles) : [report.candles]
  return [
    ...candles.map(describeCandles),
    ...describeSpan(study),
    `${report.configs} configs, ${report.distinct} simulated, in ${formatNumber(report.elapsedMs / 1000, 2)} s with ` +
      `${report.workers} worker${report.workers === 1 ? '' : 's'}: ${report.configYearsPerMinute} config-years per minute` +
      (report.complete ? '' : '; interrupted, this is the best so far'),
    ...('markets' in report ? describeReducing(study, report) : []),
    '',
    ...(report.top.length === 0 ? [describeNothing(report)] : [describeTop(study, report)]),
  ]
}

function describeCandles({ market, interval, from, to, count, synthetic }: CandlesBody): string {
  return `${market} ${interval}, ${from} to ${to}: ${count} candles${synthetic ? ', synthetic' : ''}`
}

function describeSpan({ holdout }: Study): string[] {
  if (holdout === null) return []
  return [`held out, not screened: ${formatTime(holdout.from)} to ${formatTime(holdout.to)}`]
}

function describeReducing({ objective }: Study, { across, markets, missing }: ScreenReportAcross): string[] {
  const leftOut = missing.length === 0 ? '' : `; partial, without ${missing.join(', ')}`
  const count = markets.length === 1 ? 'one market' : `${markets.length} markets`
  return [`${metricTitle(objective.metric)}: the ${across} of ${count}${leftOut}`]
}

function describeNothing(report: AnyReport): string {
  const bounds = `the limits of the objective${'markets' in report ? ' on every market' : ''}`
  if (report.complete) return `no configuration is within ${bounds}`
  return `no configuration simulated so far is within ${bounds}`
}

function describeTop(study: Study, report: AnyReport): FittingTable {
  const { metric } = study.objective
  if (!('markets' in report)) {
    type Row = ScreenReport['top'][number]
    const metrics = rankingColumns<Row>(metric, ({ metrics }) => ({ metrics, period: study.period }))
    return fittingTable(report.top, [...leadingColumns<Row>(study, 'trial'), ...metrics], { narrow: true })
  }
  type Row = ScreenReportAcross['top'][number]
  const reduced: Column<Row> = {
    title: `${report.across} ${metricTitle(metric)}`,
    value: ({ value, markets }) => withError(metric, value, { metrics: markets[0].metrics, period: study.period }),
  }
  const perMarket = report.markets.flatMap(({ candles }, at) => {
    const there = ({ markets }: Row) => ({ metrics: markets[at].metrics, period: study.period })
    return metricColumns(metric, there, candles.market)
  })
  const columns = [...leadingColumns<Row>(study, 'config'), reduced, ...perMarket]
  return fittingTable(report.top, columns, { narrow: true })
}

interface AnyRow {
  readonly rank: number
  readonly fingerprint: string
  readonly config: DcaSpotConfig
}

function leadingColumns<Row extends AnyRow>({ axes }: Study, named: string): Column<Row>[] {
  return [
    { title: 'rank', value: (row) => row.rank },
    { title: named, value: (row) => row.fingerprint.slice(0, 12) },
    ...axes.map(({ field }): Column<Row> => {
      return { title: field.replace(/^dca/, ''), value: (row) => String(row.config[field]), spare: true }
    }),
  ]
}
