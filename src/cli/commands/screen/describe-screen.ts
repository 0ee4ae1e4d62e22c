/** A screen in words: what was computed, and its top as a table. */
import type { CandlesBody } from '../../../contract/bodies.ts'
import type { Metrics } from '../../../contract/metrics.ts'
import type { ScreenReport, ScreenReportAcross } from '../../../workbench/store/screen-record.ts'
import { configFingerprint, shortIds } from '../../../workbench/study/fingerprint.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { metricTitle } from '../../metrics-table.ts'
import { formatNumber, formatTime, type Line } from '../../output.ts'
import { rankingTable, variedFields } from '../../ranking-table.ts'

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
    ...(report.top.length === 0 ? [describeNothing(report)] : describeTop(study, report)),
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

function describeTop(study: Study, report: AnyReport): Line[] {
  const measured = (metrics: Metrics) => ({ metrics, period: study.period })
  const ids = shortIds(report.top.map(({ config }) => configFingerprint(config)))
  const rows = report.top.map((row, at) => ({
    ...{ rank: row.rank, id: ids[at], config: row.config },
    value: 'markets' in row ? row.value : null,
    results: 'markets' in row ? row.markets.map(({ metrics }) => measured(metrics)) : [measured(row.metrics)],
  }))
  const across = 'markets' in report ? { across: report.across } : {}
  return rankingTable(rows, {
    objective: { ...study.objective, ...across },
    varied: variedFields(study.axes),
    markets: 'markets' in report ? report.markets.map(({ candles }) => candles.market) : [report.candles.market],
  })
}
