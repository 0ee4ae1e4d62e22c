/** `dcalab study check` of the largest grids there may be: what it costs beyond starting Node. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchLog } from './bench-run.ts'
import type { Run } from './run-node.ts'

const head = (name: string) => `name: ${name}
market: { exchange: synthetic, baseAsset: BENCH, quoteAsset: USDT }
period: { from: 2024-01-01, to: 2024-12-31 }
objective: { maximize: netProfit }
`

/** Ten million points each. */
const GRIDS = {
  takeProfits: `${head('take-profits')}
base: { investment: 5000, dcaTotalBudget: 5000, stopLoss: 0 }
grid:
  dcaInitialOrderSize: [10, 20, 30, 40]
  dcaMaxSafetyOrders: { from: 1, to: 10, step: 1 }
  dcaPriceScalePercent: { from: 0.4, to: 4, count: 25, scale: log }
  dcaVolumeScale: { from: 1, to: 2, count: 20 }
  dcaPriceStepMultiplier: { from: 1, to: 1.8, count: 10 }
  takeProfit: { from: 0.4, to: 4, count: 50, scale: log }
`,
  stops: `${head('stops')}
base: { investment: 5000, dcaTotalBudget: 5000, takeProfit: 1.5 }
objective: { maximize: netProfit }
grid:
  dcaInitialOrderSize: [10, 20, 30, 40]
  dcaMaxSafetyOrders: { from: 1, to: 10, step: 1 }
  stopLoss: [0, 5, 10, 20, 30]
  dcaPriceScalePercent: { from: 0.4, to: 4, count: 50, scale: log }
  dcaVolumeScale: { from: 1, to: 2, count: 25 }
  dcaPriceStepMultiplier: { from: 1, to: 1.8, count: 40 }
where: { ladderCost: { max: 4000 }, ladderDepthPercent: { max: 60 } }
`,
  sizes: `${head('sizes')}
base: { investment: 5000, dcaTotalBudget: 5000, takeProfit: 1.5, dcaMaxSafetyOrders: 20, stopLoss: 10 }
objective: { maximize: netProfit }
grid:
  dcaInitialOrderSize: { from: 10, to: 400, step: 10 }
  dcaPriceScalePercent: { from: 0.4, to: 4, count: 100, scale: log }
  dcaVolumeScale: { from: 1, to: 2, count: 50 }
  dcaPriceStepMultiplier: { from: 1, to: 1.8, count: 50 }
`,
} as const
type GridName = keyof typeof GRIDS
type Measured = 'nothing' | GridName

interface CheckBench {
  readonly folder: string
  readonly dcalab: (...args: string[]) => Run
  readonly nothing: () => Run
  readonly interleaved: (measures: Readonly<Record<Measured, () => Run>>) => {
    readonly runs: Readonly<Record<Measured, Run>>
    readonly onWall: (figure: string) => string
  }
}

export function measureChecks({ folder, dcalab, nothing, interleaved }: CheckBench, log: BenchLog): void {
  for (const [name, text] of Object.entries(GRIDS)) writeFileSync(join(folder, `${name}.yaml`), text)
  const check = (name: GridName) => () => dcalab('study', 'check', `${name}.yaml`, '--json')
  const { runs, onWall } = interleaved({
    nothing,
    takeProfits: check('takeProfits'),
    stops: check('stops'),
    sizes: check('sizes'),
  })
  const secondsBeyond = (name: GridName, part: 'wallMs' | 'cpuMs') => (runs[name][part] - runs.nothing[part]) / 1000
  const line = (what: string, name: GridName) => [
    what,
    onWall(`${secondsBeyond(name, 'wallMs').toFixed(2)} s`),
    `${secondsBeyond(name, 'cpuMs').toFixed(2)} s`,
    '1.5 s',
  ]
  log.headline('check', 'synthetic', Math.max(secondsBeyond('stops', 'cpuMs'), secondsBeyond('sizes', 'cpuMs')))
  log.headline('checkTakeProfits', 'synthetic', secondsBeyond('takeProfits', 'cpuMs'))
  log.table(
    'study check of ten million points, beyond bare Node',
    ['what', 'wall', 'processor', 'wanted'],
    [
      line('with an axis of take profits', 'takeProfits'),
      line('without, stops and bounds', 'stops'),
      line('without, no two points with the same orders in a row', 'sizes'),
    ],
  )
}
