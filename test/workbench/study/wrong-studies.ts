/** Wrong study files: each a valid study with one thing changed. What is said of them is in test/golden/wrong-studies.txt. */

const valid = `name: btc-ladder
market: { exchange: binance, baseAsset: BTC, quoteAsset: USDT }
period: { from: 2021-04-21, to: 2021-05-19 }
base:
  investment: 1000
  dcaTotalBudget: 1000
  dcaInitialOrderSize: 20
  dcaVolumeScale: 1.4
  dcaPriceStepMultiplier: 1.2
grid:
  dcaMaxSafetyOrders: [3, 5]
  dcaPriceScalePercent: { from: 0.5, to: 3, step: 0.5 }
  takeProfit: [1, 2]
`

export interface WrongStudy {
  readonly title: string
  readonly text: string
  /** The lines that were changed or added. */
  readonly change: string
}

/** Each entry replaces the line that begins with its first word (and what hangs below it), or adds a line at the end. */
const CHANGES: readonly (readonly [title: string, change: string])[] = [
  ['a key that is misspelt', 'intervall: 1m'],
  ['a key that means nothing here', 'colour: red'],
  ['a config field outside base and grid', 'stopLoss: 10'],
  ['a field of the bot payload that a study does not have', '  isDemo: no'],
  ['the exchange at the top', 'exchange: binance'],
  ['a key twice', 'name: btc-ladder\nname: eth-ladder'],
  ['a name with capitals', 'name: BTC'],
  ['a name that some file systems reserve', 'name: con'],
  ['a name that leaves the folder', 'name: ../../etc/passwd'],
  ['a name that is a number to YAML', 'name: 2021'],
  ['a market as one word', 'market: binance/BTC-USDT'],
  ['an asset in small letters', 'market: { exchange: binance, baseAsset: btc, quoteAsset: USDT }'],
  ['an asset that is true to YAML', 'market: { exchange: binance, baseAsset: TRUE, quoteAsset: USDT }'],
  ['an exchange with a slash', 'market: { exchange: bi/nance, baseAsset: BTC, quoteAsset: USDT }'],
  ['no period', 'period:'],
  ['a period that ends before it begins', 'period: { from: 2021-05-19, to: 2021-04-21 }'],
  ['a period of nothing', 'period: { from: 2021-05-19, to: 2021-05-19T00:00:00Z }'],
  ['a day that does not exist', 'period: { from: 2021-02-30, to: 2021-05-19 }'],
  ['an instant without a zone', 'period: { from: 2021-04-21T06:00, to: 2021-05-19 }'],
  ['an hour that does not exist', 'period: { from: 2021-04-21T24:00Z, to: 2021-05-19 }'],
  ['a date in another order', 'period: { from: 21.04.2021, to: 2021-05-19 }'],
  ['a year alone', 'period: { from: 2021, to: 2022 }'],
  ['an interval that nobody stores', 'interval: 7m'],
  ['a fee of half of everything', 'costs: { feePercent: 50 }'],
  ['a negative slippage', 'costs: { slippagePercent: -0.1 }'],
  ['a number in quotes', '  investment: "1000"'],
  ['a number with a unit', '  investment: 1000 USDT'],
  ['a number with a decimal comma', '  dcaVolumeScale: 1,4'],
  ['nothing where a number belongs', '  investment:'],
  ['infinity', '  investment: .inf'],
  ['not a number', '  investment: .nan'],
  ['a number beyond all doubles', '  investment: 1e400'],
  ['a bound broken', '  dcaInitialOrderSize: 0'],
  ['leverage on spot', '  leverage: 3'],
  ['a required field in neither base nor grid', '  dcaVolumeScale'],
  ['a field in base and in grid', '  dcaPriceStepMultiplier: 1.2\n  takeProfit: 1'],
  ['no grid', 'grid'],
  ['an empty grid', 'grid: {}'],
  ['an empty list', '  takeProfit: []'],
  ['a list with a value twice', '  takeProfit: [1, 2, 1.0]'],
  ['a list with a text', '  takeProfit: [1, two]'],
  ['half a safety order', '  dcaMaxSafetyOrders: [3, 4.5]'],
  ['half safety orders by step', '  dcaMaxSafetyOrders: { from: 3, to: 5, step: 0.5 }'],
  ['a bound broken at the end of a range', '  dcaMaxSafetyOrders: { from: 90, to: 110, step: 10 }'],
  ['one value where several belong', '  takeProfit: 1'],
  ['a step that misses the end', '  takeProfit: { from: 0.5, to: 3, step: 0.4 }'],
  ['a step of 0', '  takeProfit: { from: 0.5, to: 3, step: 0 }'],
  ['a negative step', '  takeProfit: { from: 0.5, to: 3, step: -0.5 }'],
  ['a step of almost nothing', '  takeProfit: { from: 0.5, to: 3, step: 1e-17 }'],
  ['a step that is merely tiny', '  takeProfit: { from: 0.5, to: 3, step: 1e-12 }'],
  ['a range that falls', '  takeProfit: { from: 3, to: 0.5, step: 0.5 }'],
  ['a range with neither step nor count', '  takeProfit: { from: 0.5, to: 3 }'],
  ['a range with step and count', '  takeProfit: { from: 0.5, to: 3, step: 0.5, count: 6 }'],
  ['a range without an end', '  takeProfit: { from: 0.5, step: 0.5 }'],
  ['a count of one and a half', '  takeProfit: { from: 0.5, to: 3, count: 1.5 }'],
  ['a count of one between two values', '  takeProfit: { from: 0.5, to: 3, count: 1 }'],
  ['a log scale by step', '  takeProfit: { from: 0.5, to: 3, step: 0.5, scale: log }'],
  ['a log scale from 0', '  dcaPriceScalePercent: { from: 0, to: 3, count: 4, scale: log }'],
  ['a scale that does not exist', '  takeProfit: { from: 0.5, to: 3, count: 6, scale: logarithmic }'],
  ['values closer than 12 digits', '  takeProfit: { from: 1, to: 1.0000000000001, count: 100 }'],
  ['more than 10 million points', '  takeProfit: { from: 0.001, to: 1000, step: 0.001 }'],
  ['bounds between which nothing lies', 'where: { ladderCost: { min: 2000, max: 1000 } }'],
  ['bounds that bound nothing', 'where: { ladderCost: {} }'],
  ['a bound without min or max', 'where: { ladderCost: 1000 }'],
  ['a measure that does not exist', 'where: { ladderDepth: { max: 40 } }'],
  ['a metric among the measures', 'where: { netProfit: { min: 0 } }'],
  ['an objective that is misspelt', 'objective: { maximise: netProfit }'],
  ['a metric that is misspelt', 'objective: { maximize: netProfits }'],
  ['a metric in part', 'objective: { maximize: netProfit, where: { drawdown: { max: 30 } } }'],
  ['two objectives', 'objective: { maximize: netProfit, minimize: maxDrawdownPercent }'],
  ['an objective that ranks by exposure', 'objective: { maximize: exposedHoldPercent }'],
  ['no objective in the objective', 'objective: { where: { closedDeals: { min: 30 } } }'],
  ['a preset that does not exist', 'conventions: 3commas'],
  ['a convention that does not exist', 'conventions: { preset: default, takeProfitBase: net }'],
  ['a convention with another value', 'conventions: { intrabar: worst }'],
  ['explicit sizes without a size', 'conventions: three-commas'],
  ['a market and several', 'markets: [{ exchange: okx, baseAsset: ETH, quoteAsset: USDT }]'],
  ['neither a market nor several', 'market:'],
  [
    'a market twice',
    'market:\nmarkets: [{ exchange: okx, baseAsset: ETH, quoteAsset: USDT }, { exchange: okx, baseAsset: ETH, quoteAsset: USDT }]',
  ],
  ['no markets', 'market:\nmarkets: []'],
  [
    'money of unlike currencies',
    'market:\nmarkets: [{ exchange: okx, baseAsset: ETH, quoteAsset: USDT }, { exchange: okx, baseAsset: ETH, quoteAsset: EUR }]\nobjective: { maximize: netProfit }',
  ],
  ['folds longer than the period', 'validate: { walkForward: { train: 30d, test: 10d } }'],
  ['a test longer than the period', 'validate: { walkForward: { train: 10d, test: 30d } }'],
  [
    'folds that the hold-out leaves no room for',
    'validate: { holdout: 25%, embargo: 2d, walkForward: { train: 14d, test: 5d } }',
  ],
  ['a train of no days', 'validate: { walkForward: { train: 0d, test: 5d } }'],
  ['a test in weeks', 'validate: { walkForward: { train: 14d, test: 1w } }'],
  ['a train without a test', 'validate: { walkForward: { train: 14d } }'],
  ['an anchor in words', 'validate: { walkForward: { train: 14d, test: 5d, anchored: first day } }'],
  ['a hold-out in words', 'validate: { holdout: the last month }'],
  ['a hold-out of everything', 'validate: { holdout: 100% }'],
  ['a hold-out longer than the period', 'validate: { holdout: 30d }'],
  ['a hold-out after the end', 'validate: { holdout: 2021-06-01 }'],
  ['an embargo that leaves nothing', 'validate: { holdout: 25%, embargo: 30d }'],
  ['an embargo in hours', 'validate: { holdout: 25%, embargo: 3h }'],
  ['a method’s number under a name it never had', 'search: { method: sobol, trials: 500, seed: 1 }'],
  ['more samples than configurations', 'search: { method: screen, configs: 8, samples: 8 }'],
  ['half a configuration', 'search: { method: screen, configs: 1.5, seed: -1 }'],
  ['samples for a method that takes none', 'search: { method: sobol, samples: 5 }'],
  ['a number of configurations for the whole grid', 'search: { configs: 20 }'],
  ['a way across markets that does not exist', 'objective: { maximize: netProfit, across: { markets: best } }'],
  ['a way across folds that does not exist', 'objective: { maximize: netProfit, folds: best }'],
  ['a search method that does not exist', 'search: { method: gird }'],
  ['a score, which was removed', 'search: { score: plateau }'],
  ['an alias', 'costs: &c { feePercent: 0.1 }\nwhere: *c'],
  ['a tag', '  investment: !!float 1000'],
  ['a merge key', '  <<: { leverage: 1 }'],
  ['a list as a key', '? [a, b]\n: 1'],
  ['two documents', '---\nname: other'],
  ['YAML 1.1', '%YAML 1.1\n---\nname: old'],
  ['a bracket that is never closed', 'where: { ladderCost: { max: 1000 }'],
  ['a tab as indentation', 'where:\n\tladderCost: { max: 1000 }'],
]

export const WRONG_STUDIES: readonly WrongStudy[] = [
  { title: 'an empty file', change: '', text: '' },
  { title: 'a file of comments', change: '# soon', text: '# soon' },
  { title: 'a list', change: '- btc-ladder', text: '- btc-ladder' },
  ...CHANGES.map(([title, change]) => ({ title, change, text: applyChange(change) })),
]

function applyChange(change: string): string {
  if (change.startsWith('%')) return change
  const key = /^ *[\w.<]+/.exec(change)?.[0]
  const lines = valid.trimEnd().split('\n')
  const start = key === undefined ? -1 : lines.findIndex((line) => line.startsWith(`${key}:`))
  const indent = key === undefined ? '' : '  '.repeat(key.startsWith('  ') ? 1 : 0)
  if (start >= 0) {
    const isBelow = (line: string) => line.startsWith(`${indent}  `)
    const length = 1 + lines.slice(start + 1).findIndex((line) => !isBelow(line))
    const isRemoval = !change.includes(':')
    lines.splice(start, length === 0 ? lines.length - start : length, ...(isRemoval ? [] : [change]))
  } else if (indent !== '') {
    lines.splice(lines.indexOf('grid:'), 0, change) // at the end of base
  } else lines.push(change)
  return `${lines.join('\n')}\n`
}
