/** What people see of what was written to a terminal: lines, rewritten by carriage returns and by "clear this line". */

/** The lines as they stand in the end, and every state that the line at the foot was in. */
export function seenOn(written: string): { readonly lines: readonly string[]; readonly foot: readonly string[] } {
  const lines: string[] = []
  const foot: string[] = []
  let line = ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the one sequence that we write ourselves
  for (const part of written.split(/(\r\u001b\[2K|\n)/)) {
    if (part === '\n') lines.push(line)
    if (part === '\n' || part.startsWith('\r')) {
      line = ''
    } else {
      line += part
      if (part !== '') foot.push(line)
    }
  }
  return { lines: line === '' ? lines : [...lines, line], foot }
}
