/** Whether the candles can answer at all: inside a candle the order of prices is not known. */
import type { AmbiguityCheck, CheckAnswer } from '../../analysis/certainty/checks.ts'
import { type Evaluation, noField } from './evaluation.ts'
import { measureField, ownRank } from './field.ts'

/** Leaving the best tenth by the order of prices alone. */
const TOP_SHARE = 0.1

export async function checkAmbiguity(evaluation: Evaluation): Promise<CheckAnswer<'ambiguity'>> {
  const { run, field } = evaluation
  const { ambiguousCandles, netProfitPessimistic: pessimistic, netProfitOptimistic: optimistic } = run.metrics
  const ranks = await rankBoth(evaluation)
  const top = field === null ? 0 : Math.max(1, Math.ceil(TOP_SHARE * field.configs.length))
  const isBehind = (rank: number | null) => rank === null || rank > top
  const value: AmbiguityCheck = {
    pessimistic,
    optimistic,
    ambiguousCandles,
    rankPessimistic: ranks?.[0] ?? null,
    rankOptimistic: ranks?.[1] ?? null,
    rankReason: ranks === null ? noField(evaluation) : null,
    of: field?.configs.length ?? 0,
    signFlips: Math.sign(pessimistic) !== Math.sign(optimistic),
    leavesTopTenth: (ranks?.some(isBehind) ?? false) && !(ranks?.every(isBehind) ?? true),
  }
  return { value }
}

async function rankBoth({ field, fieldValues, terms, preparedCandles, pace }: Evaluation) {
  if (field === null) return null
  const ranks: (number | null)[] = []
  for (const intrabar of ['pessimistic', 'optimistic'] as const) {
    const conventions = { ...terms.conventions, intrabar }
    const measured = intrabar === terms.conventions.intrabar ? await fieldValues() : null
    ranks.push(
      ownRank(
        field,
        measured ?? (await measureField(field, { ...terms, conventions, prepared: preparedCandles() }, pace)),
      ),
    )
  }
  return ranks
}
