/** A store with a study that was run on made-up candles, and the evaluation that its winner is examined on. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Choice, chooseBest } from '../../../src/workbench/bots/promote/choose-trial.ts'
import type { Evaluation } from '../../../src/workbench/evidence/examine/evaluation.ts'
import { makeEvaluation } from '../../../src/workbench/evidence/examine/make-evaluation.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { storedStudy } from '../../../src/workbench/store/studies.ts'
import { findStudy } from '../../../src/workbench/store/study-records.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Program, program } from '../../support/program.ts'
import { STUDY_BASE } from '../../support/study-base.ts'
import { testSystem } from '../../support/system.ts'

const { takeProfit, ...base } = STUDY_BASE

/** Folds and a few configurations on twelve days, with days around them. */
export const WORLD_STUDY = {
  name: 'looked-at',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-02', to: '2024-01-14' },
  validate: { walkForward: { train: '4d', test: '2d' } },
  base,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1], takeProfit: [0.6, takeProfit, 1.4] },
}

export interface World {
  readonly folder: string
  readonly candles: string
  /** The store file. */
  readonly path: string
  readonly dcalab: Program
}

/** `name`: of the store, so that several share the candles of one folder. */
export async function examinedWorld(days = 14): Promise<World> {
  const folder = temporaryFolder()
  const dcalab = program(folder, { XDG_STATE_HOME: folder })
  const market = ['--market', 'synthetic/T-USDT', '--interval', '15m', '--from', '2024-01-01', '--volatility', '90']
  expect((await dcalab(['candles', 'generate', ...market, '--days', String(days)])).code).toBe(0)
  writeFileSync(join(folder, 'study.json'), JSON.stringify(WORLD_STUDY))
  expect((await dcalab(['run', join(folder, 'study.json')])).code).toBe(0)
  return { folder, dcalab, candles: join(folder, 'candles'), path: join(folder, 'workbench.sqlite') }
}

/** A copy of its store as it lies there; nobody has it open. */
export function copyOf({ folder, path }: World, name: string): string {
  const copy = join(folder, `${name}.sqlite`)
  copyFileSync(path, copy)
  return copy
}

export interface Setting {
  readonly store: Store
  readonly choice: Choice
  readonly evaluation: Evaluation
}

/** `onProgress` hears of every check that begins; `change`: another study than the one that was run. */
export function openWorld(
  { candles }: Pick<World, 'candles'>,
  path: string,
  {
    wall = '2026-02-01T00:00:00Z',
    signal = new AbortController().signal,
    onProgress = () => {},
    change = (study) => study,
  }: {
    readonly wall?: string
    readonly signal?: AbortSignal
    readonly onProgress?: (text: string) => void
    readonly change?: (study: Study) => Study
  } = {},
): Setting {
  const system = testSystem({ sleep: 'jump', wall })
  const store = openStore(path, { system })
  const record = findStudy(store, WORLD_STUDY.name)
  if (record === undefined) throw new Error('the study was not run')
  const choice = chooseBest(store, record, { market: undefined })
  const study = change(storedStudy(record))
  const evaluation = makeEvaluation({
    store,
    trial: choice.trial,
    study,
    compared: true,
    known: undefined,
    candlesFolder: candles,
    pace: { clock: system.clock, signal, onProgress },
  })
  return { store, choice, evaluation }
}
