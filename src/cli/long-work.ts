/** Says how far a long work has come: nothing in the first two seconds, then on the terminal's line, elsewhere once a minute. */
import type { Context } from './context.ts'
import { say } from './output.ts'

const silentMs = 2_000
const lineEveryMs = 60_000

/** `work` calls `tell` as often as it likes. */
export async function withProgress<T>(
  { system, line }: Pick<Context, 'system' | 'line'>,
  work: (tell: (text: string) => void) => Promise<T>,
): Promise<T> {
  const { clock, terminal } = system
  const begun = clock.monotonic()
  let said = begun + silentMs - lineEveryMs
  try {
    return await work((text) => {
      const now = clock.monotonic()
      if (now - begun < silentMs) return
      if (terminal.errIsTerminal) return line.show(text)
      if (now - said < lineEveryMs) return
      said = now
      say(terminal, text)
    })
  } finally {
    line.clear()
  }
}
