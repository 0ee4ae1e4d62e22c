/**
 * Every failure we foresee, in one table: its code, the program's exit code, and what the reader can do next.
 * Anything that is not a `Failure` is a bug: it keeps its stack and ends with exit code 1.
 */
export const FAILURES = {
  usage: { exitCode: 2, hint: 'correct the flag or argument above; --help lists them' },
  settingInvalid: { exitCode: 2, hint: 'correct this setting (flag, environment or .env)' },
  studyInvalid: { exitCode: 2, hint: 'correct the study file; `dcalab study check` lists every problem again' },
  configInvalid: { exitCode: 2, hint: 'correct the config file at these places' },
  candlesMissing: { exitCode: 2, hint: 'import candles that cover the period: `dcalab candles import <file>`' },
  candlesInvalid: { exitCode: 2, hint: 'correct the file; the candle folder is unchanged' },
  notFound: { exitCode: 2, hint: '`dcalab study list` and `dcalab leaderboard <study>` list what is stored' },
  sqlInvalid: {
    exitCode: 2,
    hint: 'one read-only statement; `dcalab sql "select distinct relation from column_doc"` lists the views',
  },
  partsMissing: {
    exitCode: 2,
    hint: 'screen these parts, then merge again; the others stay',
  },
  partsRefused: { exitCode: 2, hint: 'keep the parts of one screen in a folder of their own' },
  mergeRefused: { exitCode: 2, hint: 'neither store was changed; resolve the contradictions above' },
  holdoutOpened: {
    exitCode: 2,
    hint: 'a hold-out is tested once; `dcalab holdout <study>` shows the results',
  },
  holdoutRefused: { exitCode: 2, hint: 'see `dcalab holdout <study>`; nothing was tested' },
  promotionRefused: { exitCode: 2, hint: '`--yes` creates the demo bot without a question' },
  notADemoBot: {
    exitCode: 2,
    hint: 'only demo bots can be started or changed, without exception; nothing was sent',
  },
  binaryRefused: {
    exitCode: 2,
    hint: 'run `npm ci` again on this machine (in a clone), or install the package again; nothing was changed',
  },
  clockWrong: { exitCode: 2, hint: 'set this machine’s clock, then run the same command again; nothing was sent' },
  packageMissing: {
    exitCode: 2,
    hint: 'install the optional package: `npm ci --include=optional` in a clone, else `npm install @modelcontextprotocol/sdk`',
  },
  terminalNeeded: { exitCode: 2, hint: 'give the answer as a flag (see --help); there is no terminal to ask on' },
  allowanceSpent: { exitCode: 3, hint: 'run the same command again later; nothing is lost' },
  keyRefused: { exitCode: 4, hint: 'check DCALAB_API_KEY and DCALAB_SECRET_KEY, or issue a new pair' },
  scopeRefused: { exitCode: 4, hint: 'use a key with the scope that the error names' },
  addressRefused: { exitCode: 4, hint: 'connect from an address that the key allows' },
  planRefused: { exitCode: 4, hint: 'free a bot in the account or change the plan; nothing was created' },
  serviceRefused: { exitCode: 4, hint: 'the service’s message is above; stored results are unchanged' },
  serviceUnreachable: { exitCode: 5, hint: 'check DCALAB_BASE_URL and the network, then run the same command again' },
  serviceUnreadable: {
    exitCode: 5,
    hint: 'the reply is in an unknown format and was kept; run `dcalab service draft my-service.mjs`',
  },
  proofExpired: { exitCode: 5, hint: 'nothing was sent; run the same command again when fewer requests are waiting' },
  attemptUnresolved: { exitCode: 5, hint: 'run again after the settle time, or `dcalab service jobs resolve`' },
  keyBusy: { exitCode: 5, hint: 'wait for it or stop it; two runs at once could pay for a trial twice' },
  storeUnusable: { exitCode: 6, hint: 'check the file above: free space, permissions, other programs' },
  interrupted: { exitCode: 130, hint: 'stored results are kept; run the same command again' },
} as const satisfies Record<string, { exitCode: number; hint: string }>

export type FailureCode = keyof typeof FAILURES

/** One thing wrong with an input: where, and what was found against what was expected. */
export interface Problem {
  /** `file:line:column`, a dotted path, or a flag. */
  readonly place: string
  readonly message: string
}

interface FailureOptions {
  readonly cause?: unknown
  readonly hint?: string | undefined
  readonly problems?: readonly Problem[]
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /** Only for signals, which end with 128 + their number. */
  readonly exitCode?: number
}

/** A foreseen failure. `message` says what we tried, on what, and what we found. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly exitCode: number
  readonly hint: string
  readonly problems: readonly Problem[]
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.exitCode = options.exitCode ?? FAILURES[code].exitCode
    this.hint = options.hint ?? FAILURES[code].hint
    this.problems = options.problems ?? []
    this.details = options.details
  }

  /** The body of `--json` errors (surface contract). */
  toJSON(): unknown {
    const details = this.problems.length > 0 ? { ...this.details, problems: this.problems } : this.details
    return {
      error: { code: this.code, message: this.message, hint: this.hint, ...(details === undefined ? {} : { details }) },
    }
  }
}

/** What the exit codes mean; the guide's table is tested against this one. */
export const EXIT_CODES = {
  0: 'done',
  1: 'a bug (stack shown)',
  2: 'wrong use or a bad input file',
  3: 'the daily limit is used: run again later',
  4: 'the service refused',
  5: 'service unavailable or unreadable, a submission is unresolved, or another run uses this key',
  6: 'the store is unusable',
  7: 'service and local engine disagree',
  130: 'interrupted by Ctrl-C',
  143: 'ended by SIGTERM',
} as const

/** "; did you mean maxDrawdownPercent or maxDrawdownLowPercent?", or nothing when no known word is near. */
export function suggest(word: string, known: readonly string[]): string {
  const similar = findSimilar(word, known)
  const meant = similar === undefined ? findContaining(word, known) : [similar]
  return meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`
}

/** Longer words are not typing errors, and computing the distance takes the product of both lengths. */
const LONGEST_WORD = 60

/** The known word that `word` is a misspelling of, or undefined when none is near. */
export function findSimilar(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined
  const near = known
    .map((candidate) => ({ candidate, distance: wordDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.floor(candidate.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return near.at(0)?.candidate
}

/** `priceScale` → dcaPriceScalePercent: names that contain the word, if there are only a few. */
function findContaining(word: string, known: readonly string[]): readonly string[] {
  if (word.length < 4) return []
  const containing = known.filter((candidate) => candidate.toLowerCase().includes(word.toLowerCase()))
  return containing.length <= 4 ? containing : []
}

/** Edits (insert, delete, replace, swap of neighbours) between two words: optimal string alignment. */
function wordDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(replaced, last[j] + 1, row[j - 1] + 1, isSwap ? beforeLast[j - 2] + 1 : Infinity)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]
}

/** A word as a shell takes it: quoted where it holds more than letters, digits and what paths are made of. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
