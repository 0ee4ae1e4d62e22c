/** `dcalab completion <shell>`: the script that makes Tab work; and what that script asks. */
import { fileURLToPath } from 'node:url'
import { Argument, type Command } from 'commander'
import { type Context, type Register, withExamples, withJson } from '../../context.ts'
import { printable, printJson } from '../../output.ts'

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

export const completionCommand: Register = (program, context) => {
  const command = program
    .command('completion', { hidden: true })
    .description('print a script that makes Tab complete in your shell')
    .addArgument(new Argument('<shell>', SHELLS.join(', ')).choices([...SHELLS]))
  withExamples(withJson(command), ['dcalab completion bash >> ~/.bashrc', 'dcalab completion fish | source']).action(
    async (shell: Shell, options: { readonly json?: boolean }) => {
      const script = SCRIPTS[shell]([process.execPath, fileURLToPath(context.entryFile)])
      const { terminal } = context.system
      return options.json ? printJson(terminal, { shell, script }) : terminal.out(script)
    },
  )
}

const FILES_LINE = ':files'

/** Prints what fits at the end of these words. */
export async function printFitting(context: Context, program: Command, words: readonly string[]): Promise<void> {
  const { findFitting } = await import('./fitting-words.ts')
  const { words: found, files } = await findFitting(context, program, words)
  const lines = found.map(({ name, about }) => `${printable(name)}\t${printable(about).replaceAll('\n', ' ')}`)
  const text = [...lines, ...(files ? [FILES_LINE] : [])].join('\n')
  if (text !== '') await context.system.terminal.out(`${text}\n`)
}

type Shell = 'bash' | 'zsh' | 'fish'

/** The hidden first word that `findFitting` answers. A line each: a word, a tab, what it is; `:files` for paths. */
export const COMPLETE_WORD = 'complete'

/** @param launch Node and the program's file: an alias or `npx` cannot be asked quickly enough */
const SCRIPTS: Readonly<Record<Shell, (launch: readonly string[]) => string>> = {
  bash: (launch) => `# dcalab in bash. In ~/.bashrc: source <(dcalab completion bash)
_dcalab() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = '${FILES_LINE}' ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(${posix(launch)} ${COMPLETE_WORD} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _dcalab dcalab
`,
  zsh: (launch) => `#compdef dcalab
# dcalab in zsh. In ~/.zshrc, after compinit: source <(dcalab completion zsh)
_dcalab() {
  local line files=0
  local -a found
  while IFS= read -r line; do
    if [[ $line == '${FILES_LINE}' ]]; then
      files=1
    else
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(${posix(launch)} ${COMPLETE_WORD} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe dcalab found
  (( files )) && _files
}
compdef _dcalab dcalab
`,
  fish: (launch) => `# dcalab in fish. In ~/.config/fish/config.fish: dcalab completion fish | source
function __dcalab_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (${launch.map(fishWord).join(' ')} ${COMPLETE_WORD} -- $words[2..-1] 2>/dev/null)
    if test "$line" = '${FILES_LINE}'
      __fish_complete_path (commandline -ct)
    else
      printf '%s\\n' $line
    end
  end
end
complete -c dcalab -f -a '(__dcalab_complete)'
`,
}

function posix(launch: readonly string[]): string {
  return launch.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}

function fishWord(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
