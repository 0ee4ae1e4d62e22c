/** What a valid study probably does not mean: found before anything is spent, over the trials it would run. */
import type { ConfigField, DcaSpotConfig } from '../../contract/bot.ts'
import { METRICS } from '../../contract/metrics.ts'
import { ladderShape } from '../../engine/ladder.ts'
import type { Study } from './study.ts'
import { enumerateConfigs, MAX_TRIALS, type TrialPlan } from './trials.ts'

export interface StudyWarning {
  readonly code: string
  readonly message: string
  /** Dotted path in the study file. */
  readonly path: string
}

/** All warnings of a study and its plan, in a fixed order. */
export function findStudyWarnings(study: Study, { grid, trials }: TrialPlan): readonly StudyWarning[] {
  const doubts = createTrialDoubts(study)
  for (const { config } of trials) doubts.add(config)
  return [...findQuestionWarnings(study, { grid, distinct: trials.length }), ...doubts.warnings()]
}

/** What can be said of a study of any size without keeping its trials. Points of the grid = infeasible + duplicates + distinct. */
export interface StudySurvey {
  readonly grid: number
  readonly infeasible: number
  readonly duplicates: number
  readonly distinct: number
  /** More trials than `planTrials` plans: to be screened locally. */
  readonly tooManyToRun: boolean
  readonly warnings: readonly StudyWarning[]
}

/** Counts a study's points and collects its warnings in one pass over the grid, in constant memory (about 2 µs a point). */
export function surveyStudy(study: Study): StudySurvey {
  const counts = { trial: 0, duplicate: 0, infeasible: 0 }
  const doubts = createTrialDoubts(study)
  for (const { config, fate } of enumerateConfigs(study)) {
    counts[fate]++
    if (fate === 'trial') doubts.add(config)
  }
  const { trial: distinct, duplicate: duplicates, infeasible } = counts
  const grid = distinct + duplicates + infeasible
  const tooManyToRun = distinct > MAX_TRIALS
  const forScreening: StudyWarning = {
    code: 'forScreening',
    path: 'grid',
    message: `${distinct} distinct trials are more than the ${MAX_TRIALS} that can be run; this study is for dcalab screen`,
  }
  const warnings = [...findQuestionWarnings(study, { grid, distinct }), ...doubts.warnings()]
  return {
    grid,
    infeasible,
    duplicates,
    distinct,
    tooManyToRun,
    warnings: tooManyToRun ? [forScreening, ...warnings] : warnings,
  }
}

const DAY_MS = 86_400_000
/** Metrics that are null under 30 daily returns. */
const MONTHLY_METRICS: readonly string[] = ['sharpe', 'sortino', 'cagrPercent', 'calmar']

function findQuestionWarnings(
  { axes, objective, period }: Study,
  plan: { readonly grid: number; readonly distinct: number },
): readonly StudyWarning[] {
  const warnings: StudyWarning[] = []
  if (plan.distinct === 0) {
    warnings.push({
      code: 'noTrials',
      path: 'where',
      message: `all ${plan.grid} points lie outside where; nothing would be run`,
    })
  }
  for (const { field, values } of axes) {
    if (values.length > 1) continue
    const message = `${field} has the single value ${values[0]}; as a constant it belongs in base`
    warnings.push({ code: 'singleValueAxis', path: `grid.${field}`, message })
  }
  const { better, title } = METRICS[objective.metric]
  if (better !== null && (better === 'higher') !== (objective.direction === 'maximize')) {
    const message = `${title} is better ${better === 'higher' ? 'high' : 'low'}, and the study would ${objective.direction} it`
    warnings.push({ code: 'objectiveDirection', path: `objective.${objective.direction}`, message })
  }
  const days = (period.to - period.from) / DAY_MS
  const named = [objective.metric, ...objective.where.map(({ metric }) => metric)]
  const unknown = [...new Set(named.filter((metric) => MONTHLY_METRICS.includes(metric)))]
  if (days < 30 && unknown.length > 0) {
    const message = `${unknown.join(', ')} need 30 days and the period has ${Math.round(days * 100) / 100}; no trial could be ranked`
    warnings.push({ code: 'periodTooShort', path: 'period', message })
  }
  return warnings
}

type Shape = ReturnType<typeof ladderShape>

interface TrialCheck {
  readonly code: string
  readonly field: ConfigField
  readonly applies: (trial: { readonly config: DcaSpotConfig; readonly shape: Shape; readonly study: Study }) => boolean
  readonly message: string
}

/** One sentence per doubt; "n of m trials: " is put before it. */
const TRIAL_CHECKS: readonly TrialCheck[] = [
  {
    code: 'depthOver100',
    field: 'dcaPriceScalePercent',
    applies: ({ shape }) => shape.depthOver100,
    message: 'safety orders would lie 100 % deep or deeper; they do not exist',
  },
  {
    code: 'cutByStop',
    field: 'stopLoss',
    applies: ({ shape }) => shape.cutByStop > 0,
    message: 'the stop lies inside the ladder; safety orders below it do not exist',
  },
  {
    code: 'neverTrades',
    field: 'dcaInitialOrderSize',
    applies: ({ shape }) => !shape.baseOrderFits,
    message: 'not even the base order with its fee fits dcaTotalBudget and investment; the bot never trades',
  },
  {
    code: 'overBudget',
    field: 'dcaTotalBudget',
    applies: ({ shape }) => shape.baseOrderFits && shape.cutByBudget > 0,
    message:
      'the ladder with fees costs more than dcaTotalBudget (or investment); its deepest safety orders are never placed',
  },
  {
    code: 'overInvestment',
    field: 'dcaTotalBudget',
    applies: ({ config }) => config.dcaTotalBudget > config.investment,
    message: 'dcaTotalBudget is above investment; a bot cannot spend money it does not have',
  },
  {
    code: 'takeProfitBelowFees',
    field: 'takeProfit',
    applies: ({ config, study }) => isBelowFees(config.takeProfit, study),
    message: 'takeProfit is below the fees of buying and selling; every take profit is a loss',
  },
]

function createTrialDoubts(study: Study): { add(config: DcaSpotConfig): void; warnings(): readonly StudyWarning[] } {
  const affected = TRIAL_CHECKS.map(() => 0)
  let trials = 0
  return { add, warnings }

  function add(config: DcaSpotConfig): void {
    trials++
    const shape = ladderShape(config, study.conventions, study.costs)
    for (let check = 0; check < TRIAL_CHECKS.length; check++) {
      if (TRIAL_CHECKS[check].applies({ config, shape, study })) affected[check]++
    }
  }

  function warnings(): readonly StudyWarning[] {
    return TRIAL_CHECKS.flatMap(({ code, field, message }, index) => {
      if (affected[index] === 0) return []
      const part = study.axes.some((axis) => axis.field === field) ? 'grid' : 'base'
      return [{ code, path: `${part}.${field}`, message: `${affected[index]} of ${trials} trials: ${message}` }]
    })
  }
}

/** A gross take profit sells at A·(1+tp) what cost A·(1+f), and pays the fee again; a net one already includes both fees. */
function isBelowFees(takeProfit: number, { conventions, costs }: Study): boolean {
  if (conventions.takeProfitBasis === 'net') return false
  const fee = costs.feePercent / 100
  return (1 + takeProfit / 100) * (1 - fee) <= 1 + fee
}
