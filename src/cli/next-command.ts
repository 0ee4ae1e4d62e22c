/** The command that one usually types next: what every command ends with when people read it. */

/** The first argument that was given to the command, spelt for a shell; empty without one. */
type Next = (first: string) => string

/** It runs until it is stopped, or its result names the next command itself. */
const none = null

/**
 * By command, without `dcalab`; a command that knows better says so (`context.suggestNext`). A test asks for the row of every command.
 */
export const USUAL_NEXT: Readonly<Record<string, Next | null>> = {
  here: none,
  demo: none,
  'study check': (study) => `dcalab run ${study}`,
  'study init': none,
  'study calibrate': none,
  'study schema': () => 'dcalab study init',
  'study refine': none,
  'study list': () => 'dcalab status',
  'study revisions': (study) => `dcalab leaderboard ${study}`,
  'study rename': () => 'dcalab study list',
  'study archive': () => 'dcalab study list --all',
  'study rm': () => 'dcalab study list',
  run: none,
  screen: (study) => `dcalab study check ${study}`,
  'screen merge': () => 'dcalab sql "select * from screen_top"',
  status: (study) => (study === '' ? 'dcalab watch' : `dcalab leaderboard ${study}`),
  watch: none,
  limits: () => 'dcalab status',
  leaderboard: (study) => `dcalab verdict ${study}`,
  show: (trial) => `dcalab verdict ${trial}`,
  compare: (trial) => `dcalab show ${trial}`,
  tag: (trial) => `dcalab show ${trial}`,
  note: (trial) => `dcalab show ${trial}`,
  backtest: (file) => `dcalab bots validate ${file}`,
  report: (study) => `dcalab verdict ${study}`,
  sql: () => 'dcalab sql --examples',
  export: (study) => `dcalab report ${study}`,
  snapshot: (file) => `dcalab status --store ${file}`,
  merge: () => 'dcalab status',
  verdict: none,
  examine: none,
  holdout: (study) => `dcalab verdict ${study}`,
  'holdout open': (study) => `dcalab verdict ${study}`,
  promote: none,
  'bots list': () => 'dcalab watch',
  'bots show': (bot) => `dcalab bots drift ${bot}`,
  'bots executions': (bot) => `dcalab bots pnl ${bot}`,
  'bots orders': (bot) => `dcalab bots executions ${bot}`,
  'bots pnl': (bot) => `dcalab bots drift ${bot}`,
  'bots drift': () => 'dcalab watch',
  'bots validate': (file) => `dcalab bots create ${file}`,
  'bots create': none,
  'bots update': (bot) => `dcalab bots show ${bot}`,
  'bots start': (bot) => `dcalab bots show ${bot}`,
  'bots stop': (bot) => `dcalab bots drift ${bot}`,
  'jobs list': () => 'dcalab status',
  'jobs show': () => 'dcalab status',
  'jobs delete': () => 'dcalab jobs list',
  'jobs resolve': () => 'dcalab status',
  symbols: () => 'dcalab candles list',
  reparse: () => 'dcalab status',
  replay: (trial) => `dcalab examine ${trial}`,
  prune: () => 'dcalab status',
  doctor: () => 'dcalab status',
  serve: none,
  'serve keys issue': () => 'dcalab serve',
  'serve keys list': () => 'dcalab serve',
  'serve keys revoke': () => 'dcalab serve keys list',
  completion: none,
  guide: none,
  mcp: none,
  'candles import': () => 'dcalab candles list',
  'candles fetch': () => 'dcalab candles list',
  'candles list': () => 'dcalab study init',
  'candles check': () => 'dcalab candles list',
  'candles generate': () => 'dcalab candles list',
  'candles resample': () => 'dcalab candles list',
  'candles export': () => 'dcalab candles list',
  'candles symbols': () => 'dcalab candles list',
}

/** A word as a shell takes it: quoted where it holds more than letters, digits and what paths are made of. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
