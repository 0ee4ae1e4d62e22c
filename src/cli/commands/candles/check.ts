/** `dcalab candles check`: reports what is wrong or unusual in a file or a stored market. */
import type { Command } from 'commander'
import type { CheckReport, FindingCode } from '../../../candles/check.ts'
import { findMarket } from '../../../contract/market.ts'
import { type Context, withCandles, withExamples, withJson } from '../../context.ts'
import { requireFile } from '../../input.ts'
import { decimal } from '../../option.ts'
import { countOf, formatTime, type Line, printAnswer, printJson } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'
import {
  type CandlesOptions,
  checkMarket,
  checkPeriod,
  describeFinding,
  type IntervalOption,
  intervalOption,
  type PeriodOptions,
  shownFindings,
} from './options.ts'

interface CheckOptions extends CandlesOptions, PeriodOptions, IntervalOption {
  readonly market?: string
  readonly jump: number
}

export function addCheck(candles: Command, context: Context): void {
  const command = candles
    .command('check')
    .description('check a file or a stored market for gaps and bad prices')
    .argument('<file-or-market>', 'a candle file, or exchange/BASE-QUOTE as stored')
    .addOption(intervalOption({ otherwise: 'the finest stored, or that of the file' }))
    .option('--market <market>', 'market of a file that does not name it')
    .option('--from <date>', 'first day of a stored market')
    .option('--to <date>', 'the day after the last one')
    .addOption(
      decimal('--jump <percent>', 'largest normal move between closes, or to the next open', {
        minimum: 0,
        default: 20,
      }),
    )
  withExamples(withCandles(withJson(command)), [
    'dcalab candles check binance/BTC-USDT',
    'dcalab candles check binance_BTC-USDT_1m_2021-04_2021-05.csv.gz --json',
  ]).action(async (target: string, options: CheckOptions) => {
    const subjects =
      findMarket(target) === undefined
        ? await checkedFile(target, options, context)
        : await checkedMarket(target, options, context)
    if (subjects.some(({ findings }) => findings.some(({ severity }) => severity === 'refuse'))) context.endWith(2)
    const { terminal } = context.system
    const shown = subjects.map(shownSubject)
    if (options.json) return printJson(terminal, shown.length === 1 ? shown[0] : shown)
    const { FINDINGS } = await import('../../../candles/check.ts')
    return printAnswer(
      terminal,
      subjects.flatMap((subject) => describe(subject, FINDINGS)),
    )
  })
}

interface Subject extends CheckReport {
  readonly file?: string
  readonly market: string | null
  readonly interval: string
  readonly from: number
  readonly to: number
  readonly hash?: string
  readonly synthetic?: boolean
}

async function checkedMarket(market: string, options: CheckOptions, context: Context): Promise<Subject[]> {
  const [{ loadCandles }, { checkCandles }] = await Promise.all([
    import('../../../candles/folder/folder.ts'),
    import('../../../candles/check.ts'),
  ])
  const { candles, info } = loadCandles(pathsOf(context, options).candlesFolder, {
    market,
    ...checkPeriod(options),
    interval: options.interval ?? null,
  })
  const { interval, hash, synthetic } = info
  const report = checkCandles(candles, { jumpPercent: options.jump })
  return [{ market, interval, from: Date.parse(info.from), to: Date.parse(info.to), hash, synthetic, ...report }]
}

async function checkedFile(file: string, options: CheckOptions, context: Context): Promise<Subject[]> {
  await requireFile(pathsOf(context, options).candlesFolder, file)
  const { checkFile } = await import('../../../candles/check-file.ts')
  const checks = await checkFile(file, {
    jumpPercent: options.jump,
    ...(options.market === undefined ? {} : { market: checkMarket(options.market) }),
    interval: options.interval,
  })
  return checks.map((check) => ({ file, ...check }))
}

function shownSubject(subject: Subject) {
  return {
    ...subject,
    from: formatTime(subject.from),
    to: formatTime(subject.to),
    gaps: subject.gaps.map((gap) => ({ from: formatTime(gap.from), count: gap.count })),
    findings: shownFindings(subject.findings),
  }
}

const TONES = { fine: undefined, note: 'warn', refuse: 'bad' } as const

function describe(subject: Subject, meanings: Readonly<Record<FindingCode, string>>): Line[] {
  const { file, market, interval, count, missing, longestGap, gaps, findings } = subject
  const name = [file, market].filter((part) => part !== undefined && part !== null).join(': ')
  const gapSummary =
    gaps.length === 0 ? 'no gaps' : `${missing} missing in ${countOf(gaps.length, 'gap')}, the longest of ${longestGap}`
  return [
    `${name} ${interval}: ${count} candles, ${formatTime(subject.from)} to ${formatTime(subject.to)}, ${gapSummary}`,
    ...gaps.map((gap) => `  gap of ${gap.count} from ${formatTime(gap.from)}`),
    ...shownFindings(findings).map((finding) => ({
      label: `  ${finding.severity}`,
      tone: TONES[finding.severity],
      text: `: ${describeFinding(finding, meanings)}`,
    })),
    ...(findings.length === 0 ? ['  nothing found'] : []),
  ]
}
