/** `dcalab completion <shell>`: the script that makes Tab work; and what that script asks (`scripts.ts`). */
import { fileURLToPath } from 'node:url'
import { Argument, type Command } from 'commander'
import { type Context, type Register, withExamples, withJson } from '../../context.ts'
import { printable, printJson } from '../../output.ts'
import type { Shell } from './scripts.ts'

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

export const completionCommand: Register = (program, context) => {
  const command = program
    .command('completion', { hidden: true })
    .description('print a script that makes Tab complete in your shell')
    .addArgument(new Argument('<shell>', SHELLS.join(', ')).choices([...SHELLS]))
  withExamples(withJson(command), ['dcalab completion bash >> ~/.bashrc', 'dcalab completion fish | source']).action(
    async (shell: Shell, options: { readonly json?: boolean }) => {
      const { SCRIPTS } = await import('./scripts.ts')
      const script = SCRIPTS[shell]([process.execPath, fileURLToPath(context.entryFile)])
      const { terminal } = context.system
      return options.json ? printJson(terminal, { shell, script }) : terminal.out(script)
    },
  )
}

/** Prints what fits at the end of these words. */
export async function printFitting(context: Context, program: Command, words: readonly string[]): Promise<void> {
  const [{ findFitting }, { FILES_LINE }] = await Promise.all([import('./fitting-words.ts'), import('./scripts.ts')])
  const { words: found, files } = await findFitting(context, program, words)
  const lines = found.map(({ name, about }) => `${printable(name)}\t${printable(about).replaceAll('\n', ' ')}`)
  const text = [...lines, ...(files ? [FILES_LINE] : [])].join('\n')
  if (text !== '') await context.system.terminal.out(`${text}\n`)
}
