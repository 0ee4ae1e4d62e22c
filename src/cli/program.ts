/** The program: its commands, its help, and how every failure is printed at the end. */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { Failure } from '../errors.ts'
import { backtestCommand } from './commands/backtest.ts'
import { botsCommand } from './commands/bots/bots.ts'
import { candlesCommand } from './commands/candles/candles.ts'
import { chartCommand } from './commands/chart/chart.ts'
import { compareCommand } from './commands/compare.ts'
import { datasetteCommand } from './commands/datasette.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor/doctor.ts'
import { examineCommand } from './commands/examine/examine.ts'
import { exportCommand } from './commands/export.ts'
import { guideCommand } from './commands/guide.ts'
import { holdoutCommand } from './commands/holdout/holdout.ts'
import { jobsCommand } from './commands/jobs/jobs.ts'
import { leaderboardCommand } from './commands/leaderboard.ts'
import { limitsCommand } from './commands/limits.ts'
import { mcpCommand } from './commands/mcp/mcp.ts'
import { mergeCommand } from './commands/merge.ts'
import { promoteCommand } from './commands/promote.ts'
import { pruneCommand } from './commands/prune.ts'
import { reparseCommand } from './commands/reparse.ts'
import { replayCommand } from './commands/replay.ts'
import { reportCommand } from './commands/report.ts'
import { runCommand } from './commands/run.ts'
import { screenCommand } from './commands/screen/screen.ts'
import { serveCommand } from './commands/serve/serve.ts'
import { showCommand } from './commands/show.ts'
import { snapshotCommand } from './commands/snapshot.ts'
import { markStatements } from './commands/sql/question.ts'
import { sqlCommand } from './commands/sql/sql.ts'
import { statusCommand } from './commands/status.ts'
import { studyCommand } from './commands/study/study.ts'
import { symbolsCommand } from './commands/symbols.ts'
import { noteCommand, tagCommand } from './commands/tag.ts'
import { watchCommand } from './commands/watch.ts'
import type { Context, Register } from './context.ts'
import { describeOption } from './option.ts'
import { printable, printFailure } from './output.ts'
import { withProgressLine } from './progress-line.ts'
import { asksForLog } from './run-log.ts'

/** By name, in the order of the help. */
const COMMANDS: Readonly<Record<string, Register>> = {
  demo: demoCommand,
  study: studyCommand,
  run: runCommand,
  screen: screenCommand,
  status: statusCommand,
  watch: watchCommand,
  limits: limitsCommand,
  leaderboard: leaderboardCommand,
  show: showCommand,
  chart: chartCommand,
  compare: compareCommand,
  tag: tagCommand,
  note: noteCommand,
  backtest: backtestCommand,
  report: reportCommand,
  sql: sqlCommand,
  export: exportCommand,
  snapshot: snapshotCommand,
  merge: mergeCommand,
  datasette: datasetteCommand,
  examine: examineCommand,
  holdout: holdoutCommand,
  promote: promoteCommand,
  bots: botsCommand,
  jobs: jobsCommand,
  symbols: symbolsCommand,
  reparse: reparseCommand,
  replay: replayCommand,
  prune: pruneCommand,
  guide: guideCommand,
  doctor: doctorCommand,
  serve: serveCommand,
  mcp: mcpCommand,
  candles: candlesCommand,
}

/**
 * The whole command tree, or, where the first word names a command, that one alone: declaring all of them takes longer than many a command.
 * The documentation test reads it, too.
 */
export function buildProgram(context: Context, firstWord = ''): Command {
  const program = new Command('dcalab')
    .description('Research workbench for DCA trading bots: study, backtest, compare, promote to a demo bot.')
    .version(packageJson.version, '--version')
    .addHelpText('after', '\nExamples:\n  $ dcalab demo\n  $ dcalab run studies/btc-may-2021.yaml --wait\n')
  const registers = Object.hasOwn(COMMANDS, firstWord) ? [COMMANDS[firstWord]] : Object.values(COMMANDS)
  for (const register of registers) register(program, context)
  overrideExit(program, context)
  return program
}

/** Runs one command line. @returns the exit code, one of those in the guide's reference */
export async function runCli(
  args: readonly string[],
  surroundings: Omit<Context, 'endWith' | 'line' | 'call'>,
): Promise<number> {
  let exitCode = 0
  const { terminal, line } = withProgressLine(surroundings.system.terminal)
  const system = { ...surroundings.system, terminal }
  const context: Context = {
    ...surroundings,
    system,
    line,
    endWith: (code) => (exitCode = code),
    call: (words, { terminal: heard, ...changes }) =>
      runCli(words, { ...surroundings, ...changes, system: { ...surroundings.system, terminal: heard } }),
  }
  try {
    await buildProgram(context, args[0]).parseAsync(markStatements(args), { from: 'user' })
    return exitCode
  } catch (error) {
    return endWith(error, context, args.includes('--json') || asksForLog(args))
  }
}

function endWith(thrown: unknown, context: Context, json: boolean): number {
  const { terminal } = context.system
  const error = asBinaryFailure(thrown) ?? thrown
  if (error instanceof Failure) {
    printFailure(terminal, error, json)
    return error.exitCode
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    if (error.code === 'commander.help') return 2 // no command was named: the help was printed to stderr
    const message = error.message.replace(/^error: /, '')
    printFailure(terminal, new Failure('usage', message), json)
    return 2
  }
  if (context.signal.aborted && error === context.signal.reason) return 130
  terminal.err(`${printable(`bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)}\n`)
  return 1
}

/**
 * SQLite's binary was built for another kind of machine, for example because `node_modules` was copied: the installation is
 * wrong, not the program.
 */
function asBinaryFailure(error: unknown): Failure | undefined {
  const refused = error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED'
  if (!refused) return undefined
  const message = `this machine (${process.platform} ${process.arch}) cannot load a binary of the installation: ${error.message}`
  return new Failure('binaryRefused', message, { cause: error })
}

function overrideExit(command: Command, context: Context): void {
  const { terminal } = context.system
  // Options belong to the command they follow: `serve keys list --json` is not `serve --json`.
  command
    .enablePositionalOptions()
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: () => {},
      getOutHelpWidth: () => terminal.columns,
    })
  for (const child of command.commands) overrideExit(child, context)
}
