/** `dcalab examine --costs`: what stored results come to under other fees and slippages. */
import { marketName } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import { median } from '../../../workbench/analysis/quantiles.ts'
import { type CostsFound, computeCosts } from '../../../workbench/evidence/examine/costs.ts'
import { idOfTrial } from '../../../workbench/store/find-trial.ts'
import { listTrials } from '../../../workbench/store/readers.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { storedStudy } from '../../../workbench/store/studies.ts'
import { countStudies } from '../../../workbench/store/study-counts.ts'
import { findStudy, revisionName } from '../../../workbench/store/study-records.ts'
import type { Context } from '../../context.ts'
import { findKnownTerms } from '../../known-terms.ts'
import { describeFailure } from '../../local-candles.ts'
import { withProgress } from '../../long-work.ts'
import { countOf, printAnswer, printJson, say } from '../../output.ts'
import {
  chooseTrials,
  headingOf,
  noteService,
  serviceOfTrials,
  serviceQuestion,
  shownService,
} from '../../shown-service.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf, withKnownStore } from '../../workbench.ts'
import type { ExamineOptions } from './describe-examination.ts'

export function examineCosts(context: Context, target: string, options: ExamineOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { clock, terminal } = context.system
  return withKnownStore(context, path, async (store) => {
    const { study, trials, shown } = await findResults(context, store, { target, options })
    const knownOf = (identity: string) => findKnownTerms(store, identity)
    const found = await withProgress(context, (onProgress) =>
      computeCosts(store, {
        trials,
        study,
        knownOf,
        candlesFolder,
        pace: { clock, signal: context.signal, onProgress },
      }),
    )
    const rows = summarize(store, found)
    for (const [market, failure] of found.leftOut) {
      say(terminal, `note: ${market} is left out: ${describeFailure(failure)}`)
    }
    if (found.onOtherCandles > 0) {
      say(
        terminal,
        `note: ${countOf(found.onOtherCandles, 'result')} left out: computed on other candles than those stored here`,
      )
    }
    if (options.json) {
      noteService(terminal, shown)
      const results = found.results.map(({ trial, cells }) => ({
        trial: trial.fingerprint,
        market: marketName(trial.market),
        costs: cells,
      }))
      return printJson(terminal, { service: shown?.name ?? null, study: study?.name ?? null, costs: rows, results })
    }
    await printAnswer(terminal, [
      ...headingOf(shown),
      fittingTable(rows, [
        { title: 'market', role: 'id', value: ({ market }) => market },
        { title: 'fee %', role: 'id', value: ({ feePercent }) => feePercent, digits: 2 },
        { title: 'slippage %', role: 'id', value: ({ slippagePercent }) => slippagePercent, digits: 2 },
        { title: 'results', value: ({ results }) => results, digits: 0 },
        { title: 'with profit', value: ({ profitable }) => profitable, digits: 0 },
        { title: 'median net profit', value: ({ netProfitMedian }) => netProfitMedian, digits: 2 },
        { title: 'highest', value: ({ best }) => best.netProfit, digits: 2 },
        { title: 'of', value: ({ best }) => best.id },
      ]),
    ])
  })
}

/** All finished trials of a study on the service that is shown, or one trial. */
async function findResults(
  context: Context,
  store: Store,
  { target, options }: { readonly target: string; readonly options: ExamineOptions },
) {
  const question = await serviceQuestion(context, store, options)
  const record = findStudy(store, target)
  if (record === undefined) {
    const [{ choice }] = await chooseTrials(store, target, { ...options, question })
    const of = choice.standing === null ? undefined : findStudy(store, choice.standing.study)
    const study = of === undefined ? null : storedStudy(of)
    return { study, trials: [choice.trial], shown: await serviceOfTrials(store, [choice.trial]) }
  }
  const [count] = countStudies(store, { study: revisionName(record), ...question })
  const { service = null } = count ?? {}
  const all = service === null ? [] : listTrials(store, { study: revisionName(record), identity: service.identity })
  const { market } = options
  const trials = all.filter(
    ({ state, ...trial }) => state === 'done' && (market ?? marketName(trial.market)) === marketName(trial.market),
  )
  if (trials.length === 0) {
    const where = market === undefined ? '' : ` on "${market}"`
    throw new Failure('notFound', `${target} has no result${where}`, { hint: `see \`dcalab status ${target}\`` })
  }
  return { study: storedStudy(record), trials, shown: count === undefined ? null : shownService(count, question) }
}

/** By market and cost. */
function summarize(store: Store, { results }: CostsFound) {
  const all = results.flatMap(({ trial, cells }) =>
    cells.map((cell) => ({ trial, market: marketName(trial.market), cell })),
  )
  const groups = Map.groupBy(all, ({ market, cell }) => `${market} ${cell.feePercent} ${cell.slippagePercent}`)
  return [...groups.values()].map((of) => {
    const [{ market, cell }] = of
    const profits = of.map(({ cell: { netProfit } }) => netProfit)
    const best = of.reduce((most, one) => (one.cell.netProfit > most.cell.netProfit ? one : most))
    return {
      market,
      feePercent: cell.feePercent,
      slippagePercent: cell.slippagePercent,
      results: of.length,
      profitable: profits.filter((profit) => profit > 0).length,
      netProfitMedian: median(profits) ?? null,
      best: { id: idOfTrial(store, best.trial.fingerprint), netProfit: best.cell.netProfit },
    }
  })
}
