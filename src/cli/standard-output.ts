/** `--out -`: what would be written to a file goes to stdout, for the next program. What is said of it goes to stderr. */
import { Failure } from '../errors.ts'
import type { Terminal } from '../system.ts'
import { printLines, verbatim } from './output.ts'

const DASH = '-'

/**
 * Whether `--out` names stdout.
 * @throws Failure usage where `--json` wants it, too
 */
export function goesToStdout({ out, json }: { readonly out?: string; readonly json?: boolean }): boolean {
  if (out !== DASH) return false
  if (!json) return true
  throw new Failure('usage', '--out - and --json both write to stdout', { hint: 'use one of them' })
}

/** Text that is written in portions: byte by byte for a program, cleaned of control characters where it comes on a terminal. */
export async function writeToStdout(terminal: Terminal, text: string): Promise<void> {
  if (!terminal.outIsTerminal) return terminal.out(text)
  await printLines(terminal, verbatim(text))
}
