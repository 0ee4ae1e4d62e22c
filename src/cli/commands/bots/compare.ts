/** `dcalab bots compare`: a demo bot beside its backtest, and what the difference is put down to. */
import type { Command } from 'commander'
import { findMarket } from '../../../contract/market.ts'
import type { FoundDrift } from '../../../workbench/bots/drift/check-drift.ts'
import type { GivenTerms } from '../../../workbench/bots/drift/drift-terms.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { BOT_WORDS, type BotOptions, withBotOptions, withBots } from '../../bot-view.ts'
import { type Context, withExamples } from '../../context.ts'
import { readConventions } from '../../input.ts'
import { decimal, option } from '../../option.ts'
import { formatNumber, printAnswer, printJson } from '../../output.ts'
import { findServiceAccount, type ServiceLink } from '../../service-link.ts'
import { tellingDigits } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'

interface DriftOptions extends BotOptions {
  readonly conventions?: string
  readonly feePercent?: number
  readonly slippagePercent?: number
}

export function addCompare(bots: Command, context: Context): void {
  const command = bots
    .command('compare')
    .description('compare a bot with its backtest and explain the gap')
    .argument('<bot>', BOT_WORDS)
    .addOption(
      option('--conventions <text or file>', 'compare with a backtest under these conventions', {
        otherwise: 'what is known of the service',
      }),
    )
    .addOption(decimal('--fee-percent <percent>', 'compare with a backtest under this fee', { minimum: 0 }))
    .addOption(decimal('--slippage-percent <percent>', 'compare with a backtest under this slippage', { minimum: 0 }))
  withExamples(withBotOptions(command), [
    'dcalab bots compare dcalab-btc-may-2021-3fa94c01',
    'dcalab bots compare bot_4f1c --fee-percent 0.075 --json',
  ]).action(async (named: string, options: DriftOptions) => {
    const given = await readGiven(options)
    const { drift, id } = await withBots(context, options, async (link, store) => {
      const { idOfTrial } = await import('../../../workbench/store/find-trial.ts')
      const found = await compareBot(context, options, { link, store }, { named, given })
      return { drift: found, id: found.trial === null ? null : idOfTrial(store, found.trial) }
    })
    const { terminal } = context.system
    return options.json ? printJson(terminal, shownDrift(drift)) : printAnswer(terminal, describeDrift(drift, id))
  })
}

async function readGiven({ conventions, feePercent, slippagePercent }: DriftOptions): Promise<GivenTerms> {
  return {
    ...(conventions === undefined ? {} : { conventions: await readConventions('--conventions', conventions) }),
    ...(feePercent === undefined ? {} : { feePercent }),
    ...(slippagePercent === undefined ? {} : { slippagePercent }),
  }
}

async function compareBot(
  context: Context,
  options: BotOptions,
  { link, store }: { readonly link: ServiceLink; readonly store: Store },
  { named, given }: { readonly named: string; readonly given: GivenTerms },
): Promise<FoundDrift> {
  const [{ findBotId, meetService }, { recordDriftCheck }] = await Promise.all([
    import('../../../workbench/bots/promote/make-bot.ts'),
    import('../../../workbench/store/drift-checks.ts'),
  ])
  const { client, userEmail } = link
  const id = await findBotId(client, { named, userEmail })
  const { identity } = await meetService(store, client)
  const { candlesFolder } = pathsOf(context, options)
  const drift = await findDrift(context, { client, store }, { id, identity, candlesFolder, given })
  await recordDriftCheck(store, drift)
  return drift
}

/** Reads a bot and compares it; keeps nothing. @throws Failure where the bot cannot be read or replayed */
export async function findDrift(
  context: Context,
  { client, store }: { readonly client: ServiceLink['client']; readonly store: Store },
  question: {
    readonly id: string
    readonly identity: string
    readonly candlesFolder: string
    readonly given: GivenTerms
  },
): Promise<FoundDrift> {
  const [{ readLife }, { checkDrift }] = await Promise.all([
    import('../../../workbench/bots/drift/replay-life.ts'),
    import('../../../workbench/bots/drift/check-drift.ts'),
  ])
  const { id, ...about } = question
  const jobs = await findServiceAccount(context, store)
  return checkDrift(store, await readLife(client, id), {
    ...about,
    jobsIdentity: jobs?.identity ?? about.identity,
    now: context.system.clock.wall(),
  })
}

/** The shape that others rely on (`--json`). */
function shownDrift({ botId, trial, span, terms, series, verdict, alternatives, ...drift }: FoundDrift) {
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    bot: botId,
    name: drift.botName,
    trial,
    market: drift.market,
    from: iso(span.from),
    to: iso(span.to),
    candles: drift.candles,
    terms,
    deals: drift.deals,
    orders: drift.orders,
    profit: drift.profit,
    alternatives,
    shown: drift.shown,
    verdict,
    books: drift.books,
    unknown: drift.unknown,
    series,
  }
}

const TERM_WORDS: Readonly<Record<FoundDrift['terms']['source'], string>> = {
  given: 'as given here; what was not given is as known or assumed',
  bot: 'as the service states for this bot',
  calibration: 'found by `dcalab service calibrate`',
  trial: 'of the promoted result',
  results: 'of the latest result of this service',
  assumed: 'assumed (the service does not state it; run dcalab service calibrate)',
}

function describeDrift({ verdict, deals, orders, profit, terms, ...drift }: FoundDrift, id: string | null): string[] {
  const { from, to } = drift.span
  const { costs, source } = terms
  const counted = (counts: NonNullable<FoundDrift['deals']>) =>
    `${counts.matched} matched, ${counts.early} early, ${counts.late} late, ${counts.missing} missing, ${counts.extra} extra`
  const other = orders === null || orders.different === null ? '' : `; ${orders.different} placed otherwise`
  const digits = Math.max(2, tellingDigits([profit.bot ?? 0, profit.backtest]))
  const asset = findMarket(drift.market)?.quoteAsset ?? ''
  const money = (value: number | null) => (value === null ? '–' : `${formatNumber(value, digits)} ${asset}`)
  const causes = Object.entries(profit.causes).filter(([, part]) => Number((part ?? 0).toFixed(digits)) !== 0)
  return [
    `bot      ${drift.botId}${drift.botName === null ? '' : `, ${drift.botName}`} on ${drift.market}`,
    `id       ${id ?? '– (not promoted from this store)'}`,
    `span     ${new Date(from).toISOString()} to ${new Date(to).toISOString()}, ${drift.candles.interval} candles`,
    `terms    fee ${costs.feePercent} %, slippage ${costs.slippagePercent} %, ${TERM_WORDS[source]}`,
    `deals    ${deals === null ? '–' : counted(deals)}`,
    `orders   ${orders === null ? '–' : `${counted(orders)}${other}`}`,
    `profit   bot ${money(profit.bot)}, backtest ${money(profit.backtest)}, gap ${money(profit.gap)}`,
    ...causes.map(([cause, part]) => `  ${cause.padEnd(12)} ${money(part)}`),
    ...drift.books.map(({ text }) => `books    ${text}`),
    ...drift.unknown.map(({ what, reason }) => `unknown  ${what}: ${reason}`),
    `verdict  ${verdict.sentence}`,
  ]
}
