/** `dcalab mcp`: serves an agent's program over standard input and output. It spends nothing unless a person gives it a budget. */
import { once } from 'node:events'
import packageJson from '../../../../package.json' with { type: 'json' }
import type { AskCommand } from '../../../workbench/agents/asked.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { whole } from '../../option.ts'
import { say } from '../../output.ts'
import type { Settings } from '../../settings.ts'
import { pathsOf, withStoreToRead } from '../../workbench.ts'

interface McpOptions extends CommonOptions {
  readonly budget?: number
}

export const mcpCommand: Register = (program, context) => {
  const command = program
    .command('mcp')
    .description('serve an AI agent; spends nothing without --budget')
    .addOption(
      whole('--budget <n>', 'let all agents together send n backtests in 24 hours', {
        minimum: 1,
        otherwise: 'none; agents send nothing',
      }),
    )
  withExamples(withCandles(withStore(command)), ['dcalab mcp', 'dcalab mcp --budget 20']).action(
    (options: McpOptions) => serveAgent(context, options),
  )
}

/** By the name of the SDK's error, what JSON-RPC answers to a line that is no request. */
const UNREAD: ReadonlyMap<string, { readonly code: number; readonly message: string }> = new Map([
  ['SyntaxError', { code: -32700, message: 'not JSON' }],
  ['ZodError', { code: -32600, message: 'not one request of JSON-RPC 2.0' }],
])

/** Until the client closes its end, or a signal comes. */
async function serveAgent(context: Context, options: McpOptions): Promise<void> {
  const { createAgentServer, loadSdk } = await import('../../../workbench/agents/agent-server.ts')
  const sdk = await loadSdk()
  const { store, candlesFolder } = pathsOf(context, options)
  const settings = { ...context.settings(), store, candlesFolder }
  const { input, output } = context.streams()
  const over = new AbortController()
  const budget = options.budget ?? 0
  const { server, idle } = createAgentServer(sdk, {
    clock: context.system.clock,
    version: packageJson.version,
    ask: askProgram(context, { settings, budget }),
    readBudget: budget === 0 ? null : budgetReader(context, { path: store, budget }),
    signal: over.signal,
  })
  const closed = new Promise<void>((resolve) => {
    server.onclose = () => resolve() // after a line of 10 MB, say
  })
  const ended = Promise.race([closed, once(input, 'end'), once(input, 'close'), once(context.signal, 'abort')])
  server.onerror = (error) => {
    const unread = UNREAD.get(error.name)
    const what = unread === undefined ? error.message : `a line of the client is ${unread.message}`
    say(context.system.terminal, `note: ${what}`)
    if (unread !== undefined) output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: unread })}\n`)
  }
  await server.connect(new sdk.StdioServerTransport(input, output))
  const may = budget === 0 ? 'nothing is spent' : `agents may spend ${budget} backtests in 24 hours, all together`
  say(context.system.terminal, `serving an agent on stdin and stdout; ${may}`)
  await ended
  over.abort()
  await idle() // an interrupted run keeps its state first
  await server.close()
  context.signal.throwIfAborted()
}

/**
 * A tool's command line is run in this process, and everything it says is kept for the agent. `settings`: those that `dcalab mcp` was started with; an agent cannot name others.
 */
function askProgram(
  context: Context,
  { settings, budget }: { readonly settings: Settings; readonly budget: number },
): AskCommand {
  const { terminal } = context.system
  return async ({ words, texts }, { signal, showProgress }) => {
    const said = { out: '', err: '' }
    const exitCode = await context.call(words, {
      settings: () => settings,
      signal,
      agent: { texts, budget },
      line: { isDrawn: true, show: showProgress, clear: () => {} },
      terminal: {
        ...terminal,
        out: async (text) => {
          said.out += text
        },
        err: (text) => {
          said.err += text
        },
        outIsTerminal: false,
        errIsTerminal: false,
        inIsTerminal: false,
        colours: false,
      },
    })
    return { exitCode, ...said }
  }
}

/** What agents spent, as JSON; asked anew each time, since other servers write the same store. */
function budgetReader(
  context: Context,
  { path, budget }: { readonly path: string; readonly budget: number },
): () => Promise<object> {
  return async () => {
    const [{ readAgentSpending }, { allowanceOf }] = await Promise.all([
      import('../../../workbench/run/progress.ts'),
      import('../../../workbench/run/allowance.ts'),
    ])
    const now = context.system.clock.wall()
    const { windowMs } = allowanceOf()
    const { used, left, nextAt } = await withStoreToRead(context, path, async (store) =>
      readAgentSpending(store, { budget, now, windowMs }),
    )
    return { limit: budget, used, left, nextAt: nextAt === null ? null : new Date(nextAt).toISOString() }
  }
}
