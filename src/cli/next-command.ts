/** The command that one usually types next: what every command ends with when people read it. */

/** The first argument that was given to the command, spelt for a shell; empty without one. */
type Next = (first: string) => string | null

/** It runs until it is stopped, or its result names the next command itself. */
const none = null

/**
 * By command, without `dcalab`; a command that knows better says so (`context.suggestNext`). A test asks for the row of every command.
 */
export const USUAL_NEXT: Readonly<Record<string, Next | null>> = {
  status: (study) => (study === '' ? null : `dcalab leaderboard ${study}`),
  demo: none,
  guide: none,
  'candles import': () => 'dcalab candles list',
  'candles fetch': () => 'dcalab candles list',
  'candles list': () => 'dcalab study init',
  'candles check': () => 'dcalab candles list',
  'candles generate': () => 'dcalab candles list',
  'candles resample': () => 'dcalab candles list',
  'candles export': () => 'dcalab candles list',
  'candles symbols': () => 'dcalab candles list',
  'study check': (study) => `dcalab run ${study}`,
  'study init': none,
  'study schema': () => 'dcalab study init',
  'study refine': none,
  'study list': (study) => `dcalab ${study === '' ? 'status' : `leaderboard ${study}`}`,
  'study show': (study) => `dcalab leaderboard ${study}`,
  'study rename': () => 'dcalab study list',
  'study archive': () => 'dcalab study list --all',
  'study rm': () => 'dcalab study list',
  screen: (study) => `dcalab study check ${study}`,
  'screen merge': () => 'dcalab sql "select * from screen_result"',
  run: none,
  backtest: (file) => `dcalab bots create ${file} --dry-run`,
  leaderboard: (study) => `dcalab verdict ${study}`,
  verdict: none,
  show: (trial) => `dcalab verdict ${trial}`,
  compare: (trial) => `dcalab show ${trial}`,
  examine: none,
  holdout: none,
  report: (study) => `dcalab verdict ${study}`,
  promote: none,
  'bots list': () => 'dcalab status --watch',
  'bots show': (bot) => `dcalab bots compare ${bot}`,
  'bots trades': (bot) => `dcalab bots compare ${bot}`,
  'bots compare': () => 'dcalab status --watch',
  'bots create': none,
  'bots update': (bot) => `dcalab bots show ${bot}`,
  'bots start': (bot) => `dcalab bots show ${bot}`,
  'bots stop': (bot) => `dcalab bots compare ${bot}`,
  sql: () => 'dcalab sql --examples',
  export: (study) => `dcalab report ${study}`,
  'store backup': (file) => `dcalab status --store ${file}`,
  'store merge': () => 'dcalab status',
  'store clean': () => 'dcalab status',
  'store reread': () => 'dcalab status',
  'store check': () => 'dcalab status',
  'service check': () => 'dcalab status',
  'service draft': none,
  'service calibrate': none,
  'service verify': (trial) => `dcalab examine ${trial}`,
  'service limits': () => 'dcalab status',
  'service jobs list': () => 'dcalab status',
  'service jobs show': () => 'dcalab status',
  'service jobs delete': () => 'dcalab service jobs list',
  'service jobs resolve': () => 'dcalab status',
  'service symbols': () => 'dcalab candles list',
  serve: none,
  'serve keys issue': () => 'dcalab serve',
  'serve keys list': () => 'dcalab serve',
  'serve keys revoke': () => 'dcalab serve keys list',
  mcp: none,
  completion: none,
}

/** A word as a shell takes it: quoted where it holds more than letters, digits and what paths are made of. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
