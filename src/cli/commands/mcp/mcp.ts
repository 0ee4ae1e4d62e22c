/** `dcalab mcp`: serves an agent's program over standard input and output. It spends nothing unless a person gives it a budget. */
import { once } from 'node:events'
import packageJson from '../../../../package.json' with { type: 'json' }
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { whole } from '../../option.ts'
import { say } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'

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

/** Until the client closes its end, or a signal comes. */
async function serveAgent(context: Context, options: McpOptions): Promise<void> {
  const [{ loadSdk }, { createAgentServer }, { askProgram, budgetReader }] = await Promise.all([
    import('../../../workbench/agents/sdk.ts'),
    import('../../../workbench/agents/agent-server.ts'),
    import('./ask-program.ts'),
  ])
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
  const ended = Promise.race([once(input, 'end'), once(input, 'close'), once(context.signal, 'abort')])
  await server.connect(new sdk.StdioServerTransport(input, output))
  const may = budget === 0 ? 'nothing is spent' : `agents may spend ${budget} backtests in 24 hours, all together`
  say(context.system.terminal, `serving an agent on stdin and stdout; ${may}`)
  await ended
  over.abort()
  await idle() // an interrupted run keeps its state first
  await server.close()
  context.signal.throwIfAborted()
}
