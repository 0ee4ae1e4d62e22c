/** What each form of `dcalab screen` does around the work itself: the candles before, the store after. */
import { setPriority } from 'node:os'
import type { PointFile, PointsToWrite } from '../../../workbench/screen/point-file.ts'
import type { MarketScreen } from '../../../workbench/store/screen-record.ts'
import type { Study } from '../../../workbench/study/study.ts'
import type { Context } from '../../context.ts'
import { say } from '../../output.ts'
import { recordLook } from '../../record-look.ts'
import { withOpenStore } from '../../workbench.ts'

/** `os.constants.priority.PRIORITY_LOW`: everything else goes first. */
const LOW_PRIORITY = 19

/** Threads that are started afterwards have the lowest priority: others come first, and an idle machine is not slower for it. */
export function yieldToOthers(nice: boolean | undefined): void {
  if (nice) setPriority(LOW_PRIORITY)
}

/** Says which candles are missing, and which markets are left out for that. */
export async function loadSaying({ system }: Context, candlesFolder: string, study: Study) {
  const [{ describeFailure, loadMarkets }, { warning }] = await Promise.all([
    import('../../screened-markets.ts'),
    import('../../../workbench/analysis/warnings/warnings.ts'),
  ])
  const { markets, leftOut } = loadMarkets(candlesFolder, study)
  for (const { info } of markets) {
    const { market, missing, count } = info
    const place = study.markets.length === 1 ? '' : `${market}: `
    if (missing > 0) say(system.terminal, `note: ${place}${warning('candlesGap', { missing, count }).message}`)
  }
  for (const { market, failure } of leftOut) {
    say(system.terminal, `note: ${market} is left out: ${describeFailure(failure)}`)
  }
  return markets
}

/** Checked before the work and not after it. @throws Failure storeUnusable */
export async function demandStore(context: Context, path: string): Promise<void> {
  await withOpenStore(context, path, async () => {})
}

/** Where `--points` writes every point, if it is given. `name`: without its ending. @throws Failure storeUnusable */
export async function openPoints(
  { system }: Context,
  { folder, ...file }: Pick<PointsToWrite, 'study' | 'markets' | 'name'> & { readonly folder: string | undefined },
): Promise<PointFile | undefined> {
  if (folder === undefined) return undefined
  const { openPointFile } = await import('../../../workbench/screen/point-file.ts')
  return openPointFile({ ...file, folder, tag: unpredictableTag(system) })
}

/** Twelve digits for the name of an unfinished file: numbers of processes are equal in containers, and on two machines with one disk. */
export function unpredictableTag({ randomBytes }: Context['system']): string {
  return Buffer.from(randomBytes(6)).toString('hex')
}

export interface Screened {
  readonly study: Study
  readonly perMarket: readonly MarketScreen[]
}

/** Keeps what a screen found where that is wanted, and counts what was looked at. */
export async function keepScreen(
  context: Context,
  path: string,
  { study, perMarket, save }: Screened & { readonly save: boolean },
): Promise<void> {
  if (save) {
    const { saveScreen } = await import('../../../workbench/store/screens.ts')
    const { ENGINE_VERSION } = await import('../../../engine/backtest.ts')
    const screen = { study, engineVersion: ENGINE_VERSION, markets: perMarket }
    await withOpenStore(context, path, (store) => saveScreen(store, screen))
    say(context.system.terminal, `saved in ${path}: see the tables screen, screen_result and screen_parameter`)
  }
  for (const { report } of perMarket) {
    await recordScreenLook(context, path, { study, market: report.candles.market, configs: report.distinct })
  }
}

/** `configs`: those that were simulated on this market. */
export async function recordScreenLook(
  context: Context,
  path: string,
  { study, market, configs }: { readonly study: Study; readonly market: string; readonly configs: number },
): Promise<void> {
  const { gridFingerprint } = await import('../../../workbench/study/fingerprint.ts')
  const look = { period: study.period, source: 'screen', key: gridFingerprint(study) } as const
  await recordLook(context, path, { ...look, market, configs })
}
