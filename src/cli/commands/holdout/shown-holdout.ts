/** A hold-out as it is printed: as it is, and after `--test`. */

import { marketName } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { Warning } from '../../../workbench/analysis/warnings/warnings.ts'
import type { ComparedResult } from '../../../workbench/evidence/holdout/read-holdout.ts'
import type { TwinField } from '../../../workbench/evidence/holdout/twin-rank.ts'
import type { ServiceQuestion } from '../../../workbench/store/choose-service.ts'
import type { Store } from '../../../workbench/store/store.ts'
import type { KeptVerdict } from '../../../workbench/store/verdicts.ts'
import { configFingerprint, shortIds } from '../../../workbench/study/fingerprint.ts'
import { chooseTrials, lastVerdictOn } from '../../chosen-results.ts'
import type { Context } from '../../context.ts'
import { describeLastVerdict } from '../../last-verdict.ts'
import { withProgress } from '../../long-work.ts'
import { scalarMetrics } from '../../metrics-table.ts'
import { countOf, hanging, type Line } from '../../output.ts'
import type { TimeWords } from '../../reader-time.ts'
import { serviceQuestion } from '../../shown-service.ts'
import { fittingTable } from '../../table.ts'

/** Times in ISO 8601 UTC. */
export interface ShownHoldout {
  readonly study: string
  /** Short name of the one that it was opened on; null = it is closed. */
  readonly service: string | null
  readonly span: { readonly from: string; readonly to: string }
  /** `exchange/BASE-QUOTE`. */
  readonly markets: readonly string[]
  /** Configurations that others have looked at in this time, at most; of an opened one, before it was opened. */
  readonly seenConfigs: number
  /** null = it is closed. */
  readonly opened: {
    readonly at: string
    readonly reason: string
    readonly by: string
    /** null = not all results are in, and none is shown. */
    readonly completedAt: string | null
  } | null
  /** What the percentiles are taken among, by market; empty before there are results. */
  readonly twin: readonly { readonly market: string; readonly points: TwinField['points']; readonly n: number }[]
  /** By place on train and market; null before all are in. */
  readonly results: readonly ShownResult[] | null
  readonly warnings: readonly Warning[]
  /** On the best of the study; null = it was not judged. */
  readonly verdict: KeptVerdict | null
}

type ShownResult = Omit<ComparedResult, 'metrics'> & { readonly metrics: ReturnType<typeof scalarMetrics> }

/** Computes the twin's side where there are results: seconds for each market. @throws Failure notFound, holdoutRefused */
export async function gatherHoldout(
  context: Context,
  store: Store,
  { name, candlesFolder }: { readonly name: string; readonly candlesFolder: string },
): Promise<ShownHoldout> {
  const [
    { compareWithTwin, readStoredHoldout, readResults },
    { screenSpan },
    { findSeenWarnings },
    { findKnownTerms },
    { isSimulated, serviceName },
  ] = await Promise.all([
    import('../../../workbench/evidence/holdout/read-holdout.ts'),
    import('../../../workbench/evidence/holdout/twin-rank.ts'),
    import('../../../workbench/evidence/holdout/holdout-warnings.ts'),
    import('../../known-terms.ts'),
    import('../../../workbench/store/services.ts'),
  ])
  const holdout = readStoredHoldout(store, name)
  const { study, span, opening, seenConfigs } = holdout
  const results = readResults(store, holdout)
  // On a service that is not ours the twin computes as probes, or its own results, say that it does.
  const known =
    opening === undefined || isSimulated(store, opening) ? undefined : findKnownTerms(store, opening.identity)
  const onTwin = { ...study, ...known?.terms }
  const fields = new Map<string, TwinField | { readonly missing: string }>()
  if (results !== null) {
    await withProgress(context, async (tell) => {
      const { signal } = context
      for (const market of study.markets) {
        const field = await screenSpan(
          { study: onTwin, span, market, candlesFolder },
          { clock: context.system.clock, signal, tell },
        )
        fields.set(marketName(market), field)
      }
    })
  }
  return {
    study: study.name,
    service: opening === undefined ? null : serviceName(store, opening.identity),
    span: { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
    markets: study.markets.map(marketName),
    seenConfigs,
    opened:
      opening === undefined
        ? null
        : {
            at: opening.openedAt,
            reason: opening.reason,
            by: opening.openedBy,
            completedAt: opening.completedAt,
          },
    twin: [...fields].flatMap(([market, field]) =>
      'missing' in field ? [] : [{ market, points: field.points, n: field.n }],
    ),
    results:
      results?.map((result) => {
        const compared = compareWithTwin(result, fields.get(result.market), study)
        return { ...compared, metrics: scalarMetrics(compared.metrics) }
      }) ?? null,
    warnings: findSeenWarnings(store, { ...study, holdout: span }),
    verdict: (await verdictOnBest(store, study.name, await serviceQuestion(context, store, {}))) ?? null,
  }
}

/** undefined also where nothing of it has a place. @throws Failure of no other kind */
async function verdictOnBest(store: Store, study: string, question: ServiceQuestion): Promise<KeptVerdict | undefined> {
  try {
    const choices = await chooseTrials(store, study, { question })
    return await lastVerdictOn(
      store,
      choices.map(({ choice }) => choice.trial),
    )
  } catch (error) {
    if (error instanceof Failure && (error.code === 'notFound' || error.code === 'promotionRefused')) return undefined
    throw error
  }
}

/** @param when how its times are told; `now`: ms UTC */
export function describeHoldout(shown: ShownHoldout, when: TimeWords, now: number): Line[] {
  const { study, service, span, markets, seenConfigs, opened, results } = shown
  return [
    ...(service === null ? [] : [`results of ${service}`]),
    `${study} holds out ${span.from} to ${span.to} on ${markets.join(', ')}`,
    `seen     ${seenConfigs === 0 ? 'no other study used these days' : `other studies tried up to ${countOf(seenConfigs, 'configuration')} on it`}`,
    ...describeOpening(study, opened, when),
    ...(results === null ? [] : ['', ...describeResults(shown, results)]),
    ...describeLastVerdict(shown.verdict ?? undefined, { now, target: study }),
  ]
}

function describeOpening(study: string, opened: ShownHoldout['opened'], when: TimeWords): string[] {
  if (opened === null) return [`tested   no; possible once: dcalab holdout ${study} --test --reason "…"`]
  const { at, by, reason, completedAt } = opened
  return [
    hanging(`tested   ${when(at)} by ${by}: `, reason),
    completedAt === null
      ? `results  not complete, so none is shown; continue: dcalab holdout ${study} --test --reason "…"`
      : `results  complete since ${when(completedAt)}`,
  ]
}

function describeResults({ twin }: ShownHoldout, results: readonly ShownResult[]): Line[] {
  const table = fittingTable(results, [
    { title: 'id', role: 'id', value: idOf },
    { title: 'place', role: 'id', value: ({ place }) => place },
    { title: 'market', role: 'id', value: ({ market }) => market },
    { title: 'net profit', value: ({ metrics }) => metrics?.netProfit ?? null, digits: 2 },
    { title: 'deals', value: ({ metrics }) => metrics?.closedDeals ?? null },
    { title: 'max DD %', value: ({ metrics }) => metrics?.maxDrawdownPercent ?? null, digits: 2 },
    { title: 'local percentile', value: ({ percentileOnTwin }) => percentileOnTwin, digits: 1 },
    { title: 'service − local %', value: ({ twinDifference }) => twinDifference, digits: 3 },
  ])
  const among = twin.map(({ market, points, n }) => {
    const what = points === 'grid' ? 'points of the grid' : 'Sobol points'
    return `percentiles on ${market}: by the objective, among ${n} ${what} computed here`
  })
  const reasons = results.flatMap((result) =>
    result.percentileOnTwinReason === null
      ? []
      : [`no percentile for ${idOf(result)}: ${result.percentileOnTwinReason}`],
  )
  return [table, ...among, ...new Set(reasons)]
}

function idOf({ config }: ShownResult): string {
  return shortIds([configFingerprint(config)])[0]
}
