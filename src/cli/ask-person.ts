import type { Context } from './context.ts'
import { printable } from './output.ts'

/** What a person answers at the terminal, without spaces around it. @throws the signal's reason on an interrupt */
export async function askPerson(
  { signal, system }: Pick<Context, 'signal' | 'system'>,
  question: string,
): Promise<string> {
  return (await system.terminal.ask(printable(question), signal)).trim()
}
