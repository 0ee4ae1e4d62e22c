/**
 * Every point of a screen as Parquet, for DuckDB, Spark, Trino, polars: its config, what it is ranked by, and the metrics that the first pass
 * knows. One row for each point and market. It is written as the screen goes on, and has its name only once it is whole.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { METRICS } from '../../contract/metrics.ts'
import { ENGINE_VERSION } from '../../engine/backtest.ts'
import { Failure } from '../../errors.ts'
import { renameOver } from '../../system.ts'
import { parquetColumnFile } from '../store/export/parquet.ts'
import type { TypedColumn } from '../store/export/view-rows.ts'
import { CONFIG_COLUMNS } from '../store/tables.ts'
import { createGrid } from '../study/grid.ts'
import type { Study } from '../study/study.ts'
import { depthsOf } from './appraise.ts'
import { planChunks } from './chunks.ts'
import { metricsKnownAt } from './measures.ts'
import type { ChunkTrials } from './messages.ts'
import type { PointSink } from './screen-grid.ts'
import type { MarketOnCandles } from './screen-markets.ts'

/** Rows of a group, which a reader can skip without unpacking it. In memory they take about 30 MB. */
const ROWS_AT_ONCE = 65_536

export interface PointFile {
  readonly sink: PointSink
  /** Gives the file its name. */
  keep(): KeptPoints
  /** Removes what is not kept. */
  close(): void
}

export interface KeptPoints {
  readonly path: string
  readonly rows: number
  readonly bytes: number
}

export interface PointsToWrite {
  readonly study: Study
  readonly markets: readonly MarketOnCandles[]
  readonly folder: string
  /** Without its ending. */
  readonly name: string
  /** Unpredictable, as that of a part. */
  readonly tag: string
}

/** @throws Failure storeUnusable */
export function openPointFile({ study, markets, folder, name, tag }: PointsToWrite): PointFile {
  const path = join(folder, `${name}.parquet`)
  const unfinished = `${path}.${tag}.tmp`
  const grid = createGrid(study, planChunks(study, 0).order)
  const metrics = metricsKnownAt(depthsOf(study.objective)[0])
  const columns = columnsOf(study)
  // What is outside of one known limit is outside; whether it is inside of all of them, only a pass that knows all can say.
  const knowsAll = study.objective.where.every(({ metric }) => metrics.includes(metric))
  const file = trying(path, () => {
    mkdirSync(folder, { recursive: true })
    return parquetColumnFile(unfinished, columns, factsOf(study, markets))
  })
  let held: unknown[][] = columns.map(() => [])
  let rows = 0

  function flush(): void {
    if (held[0].length === 0) return
    trying(path, () => file.write(held))
    rows += held[0].length
    held = columns.map(() => [])
  }

  function add({ indices, inside, scores, metrics: measured }: ChunkTrials): void {
    indices.forEach((index, at) => {
      const config = grid.configAt(index)
      measured.forEach((values, market) => {
        let column = 0
        const put = (value: unknown) => held[column++].push(value)
        put(BigInt(index))
        put(marketName(markets[market].market))
        for (const field of CONFIG_FIELDS) put(config[field])
        put(inside[at] === 1 && !knowsAll ? null : inside[at] === 1)
        put(orNull(scores[at]))
        for (let metric = 0; metric < metrics.length; metric++) put(orNull(values[at * metrics.length + metric]))
      })
    })
    if (held[0].length >= ROWS_AT_ONCE) flush()
  }

  return {
    sink: (_, { trials }) => {
      if (trials !== null) add(trials)
    },
    keep: () =>
      trying(path, () => {
        flush()
        file.end()
        renameOver(unfinished, path)
        return { path, rows, bytes: statSync(path).size }
      }),
    close: () => {
      file.close()
      rmSync(unfinished, { force: true }) // does nothing once it is kept
    },
  }
}

/** Names as in the store's views. */
function columnsOf({ objective }: Study): readonly TypedColumn[] {
  return [
    { name: 'point', type: 'integer' },
    { name: 'market', type: 'text' },
    ...CONFIG_FIELDS.map((field): TypedColumn => ({ name: CONFIG_COLUMNS[field], type: 'number' })),
    { name: 'inside_bounds', type: 'yesNo' },
    { name: 'score', type: 'number' },
    ...metricsKnownAt(depthsOf(objective)[0]).map((metric): TypedColumn => {
      return { name: METRICS[metric].column, type: 'number' }
    }),
  ]
}

function factsOf(study: Study, markets: readonly MarketOnCandles[]): Record<string, string> {
  return {
    'dcalab.study': study.name,
    'dcalab.study_fingerprint': study.fingerprint,
    'dcalab.engine_version': ENGINE_VERSION,
    'dcalab.objective': JSON.stringify(study.objective),
    'dcalab.conventions': JSON.stringify(study.conventions),
    'dcalab.costs': JSON.stringify(study.costs),
    'dcalab.candles': JSON.stringify(markets.map(({ info, symbol }) => ({ ...info, symbol }))),
  }
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** @throws Failure storeUnusable */
function trying<T>(path: string, write: () => T): T {
  try {
    return write()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `${path} cannot be written: ${reason}`, { cause })
  }
}
