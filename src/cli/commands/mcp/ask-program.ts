/** A tool's command line is run in this process, and everything it says is kept for the agent. */
import type { AskCommand } from '../../../workbench/agents/asked.ts'
import type { Context } from '../../context.ts'
import type { Settings } from '../../settings.ts'
import { withStoreToRead } from '../../workbench.ts'

/** `settings`: those that `dcalab mcp` was started with; an agent cannot name others. */
export function askProgram(
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
export function budgetReader(
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
