/** What a valid study probably does not mean: found before anything is spent, over the trials it would run. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { METRICS } from '../../../contract/metrics.ts'
import { ladderShape } from '../../../engine/ladder.ts'
import { countPoints, createGrid, inLadderOrder } from '../../study/grid.ts'
import type { TrialPlan } from '../../study/parse.ts'
import { MAX_TRIALS, type Study } from '../../study/study.ts'
import { CONFIG_CHECKS, type ConfigLadder, isBelowFees } from './find-in-config.ts'
import { WARNINGS, type Warning, warning } from './warnings.ts'

/** A warning with its place; as `study check` shows it. */
export interface StudyWarning extends Pick<Warning, 'code' | 'message'> {
  /** Dotted path in the study file. */
  readonly path: string
}

/** The warning at a place of the study file. */
export function warn<Path extends string>(
  { code, message }: Warning,
  path: Path,
): StudyWarning & { readonly path: Path } {
  return { code, message, path }
}

/** All warnings of a study and its plan, in a fixed order. */
export function findStudyWarnings(study: Study, { grid, trials }: TrialPlan): readonly StudyWarning[] {
  const onLadders = createTrialWarnings(study)
  for (const { config } of trials) onLadders.add({ config, shape: ladderShape(config, study.conventions, study.costs) })
  return [...findQuestionWarnings(study, { grid, distinct: trials.length }), ...onLadders.warnings()]
}

/** What can be said of a study of any size without keeping its trials. Points of the grid = breaksLimit + duplicates + distinct. */
export interface StudySurvey {
  readonly grid: number
  readonly breaksLimit: number
  readonly duplicates: number
  readonly distinct: number
  /** More trials than `planTrials` plans: to be screened locally. */
  readonly tooManyToRun: boolean
  readonly warnings: readonly StudyWarning[]
}

/** Some ten milliseconds of work. */
const POINTS_PER_WORD = 2 ** 17

/**
 * Counts a study's points and collects its warnings in one pass over the grid, in constant memory (below 0.1 µs a point). No take profit
 * changes a ladder or whether a point is in the grid, so of points that differ in nothing else one is checked.
 * @param onPoints gets now and then how many points have been counted
 */
export function surveyStudy(study: Study, onPoints?: (done: number) => void): StudySurvey {
  const onLadders = createTrialWarnings(study)
  const takeProfits = study.axes.find(({ field }) => field === 'takeProfit')?.values ?? [
    study.base.takeProfit ?? Number.NaN,
  ]
  const axes = inLadderOrder(study.axes).map((axis) =>
    axis.field === 'takeProfit' ? { ...axis, values: axis.values.slice(0, 1) } : axis,
  )
  const each = takeProfits.length
  const alike: Alike = {
    trials: each,
    belowFees: takeProfits.filter((takeProfit) => isBelowFees(takeProfit, study)).length,
  }
  let [distinct, duplicates, breaksLimit] = [0, 0, 0]
  createGrid(study, axes).visit(0, countPoints({ axes }), (point) => {
    if (point.fate === 'trial') {
      distinct += each
      onLadders.addAlike(point, alike)
    } else if (point.fate === 'duplicate') duplicates += each
    else breaksLimit += each
    if (point.index % POINTS_PER_WORD === 0) onPoints?.(point.index * each)
  })
  const grid = distinct + duplicates + breaksLimit
  const tooManyToRun = study.search.method === 'grid' && distinct * study.markets.length > MAX_TRIALS
  const warnings = [...findQuestionWarnings(study, { grid, distinct }), ...onLadders.warnings()]
  return {
    grid,
    breaksLimit,
    duplicates,
    distinct,
    tooManyToRun,
    warnings: tooManyToRun ? [warn(warning('forScreening', { distinct }), 'grid'), ...warnings] : warnings,
  }
}

/** The same of configurations that were drawn: there is no grid to count. */
export function surveyDrawn(study: Study, configs: readonly DcaSpotConfig[]): StudySurvey {
  const onLadders = createTrialWarnings(study)
  for (const config of configs) onLadders.add({ config, shape: ladderShape(config, study.conventions, study.costs) })
  const counts = { grid: configs.length, breaksLimit: 0, duplicates: 0, distinct: configs.length }
  return { ...counts, tooManyToRun: false, warnings: [...findQuestionWarnings(study, counts), ...onLadders.warnings()] }
}

const DAY_MS = 86_400_000
/** Metrics that are null under 30 daily returns. */
const MONTHLY_METRICS: readonly string[] = ['sharpe', 'sortino', 'cagrPercent', 'calmar']

function findQuestionWarnings(
  study: Study,
  plan: { readonly grid: number; readonly distinct: number },
): readonly StudyWarning[] {
  const { objective } = study
  const warnings: StudyWarning[] = []
  if (plan.distinct === 0) warnings.push(warn(warning('noTrials', plan), 'where'))
  const { direction } = objective
  const { better, title } = METRICS[objective.metric]
  const isBetterHigh = better === 'higher'
  if (better !== null && isBetterHigh !== (direction === 'maximize')) {
    warnings.push(warn(warning('objectiveDirection', { title, isBetterHigh, direction }), `objective.${direction}`))
  }
  return [...warnings, ...findShortPeriod(study), ...findRatios(study)]
}

/** One sentence about a short period, the gravest. */
function findShortPeriod({ period, objective, holdout }: Study): readonly StudyWarning[] {
  const days = (period.to - period.from) / DAY_MS
  const named = [objective.metric, ...objective.where.map(({ metric }) => metric)]
  const metrics = [...new Set(named.filter((metric) => MONTHLY_METRICS.includes(metric)))]
  if (days < WARNINGS.periodTooShort.threshold && metrics.length > 0) {
    return [warn(warning('periodTooShort', { metrics, days }), 'period')]
  }
  return holdout === null && days < WARNINGS.shortPeriod.threshold
    ? [warn(warning('shortPeriod', { days }), 'period')]
    : []
}

/** Take profits and stops so small that a ratio may have been written where percent are read. */
function findRatios(study: Study): readonly StudyWarning[] {
  return (['takeProfit', 'stopLoss'] as const).flatMap((field) => {
    const axis = study.axes.find((each) => each.field === field)
    const asked = axis?.values ?? [study.base[field] ?? 0]
    const values = asked.filter((value) => value > 0 && value <= WARNINGS.ratioForPercent.threshold)
    if (values.length === 0) return []
    const areBelowFees = field === 'takeProfit' && values.every((value) => isBelowFees(value, study))
    const place = `${axis === undefined ? 'base' : 'grid'}.${field}`
    return [warn(warning('ratioForPercent', { field, values, areBelowFees }), place)]
  })
}

/** Trials that differ in their take profit alone. */
interface Alike {
  readonly trials: number
  readonly belowFees: number
}

/** What is the same for points that differ in their take profit alone: the ladder and the money. */
const OF_LADDERS = CONFIG_CHECKS.map(({ applies }, check) => ({ check, applies })).filter(
  ({ check }) => CONFIG_CHECKS[check].field !== 'takeProfit',
)

function createTrialWarnings(study: Study) {
  // Typed, and each check's own function at hand: ten million points pass here.
  const affected = new Float64Array(CONFIG_CHECKS.length)
  let [trials, belowFees] = [0, 0]
  return { add, addAlike, warnings }

  function add(ladder: ConfigLadder): void {
    addAlike(ladder, { trials: 1, belowFees: isBelowFees(ladder.config.takeProfit, study) ? 1 : 0 })
  }

  /** One stands for all that differ from it in their take profit alone. */
  function addAlike(ladder: ConfigLadder, alike: Alike): void {
    trials += alike.trials
    belowFees += alike.belowFees
    for (const { check, applies } of OF_LADDERS) if (applies(ladder, study)) affected[check] += alike.trials
  }

  function warnings(): readonly StudyWarning[] {
    return CONFIG_CHECKS.flatMap(({ code, field }, check) => {
      const count = field === 'takeProfit' ? belowFees : affected[check]
      if (count === 0) return []
      const part = study.axes.some((axis) => axis.field === field) ? 'grid' : 'base'
      return [warn(warning(code, { affected: count, trials }), `${part}.${field}`)]
    })
  }
}
