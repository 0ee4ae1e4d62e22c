/** CPU time and tables for the benchmark. */

/** CPU milliseconds that this process spends in `work`, garbage collection and compilation included. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted.length === 0 ? Number.NaN : sorted[sorted.length >> 1]
}

export function print(text: string): void {
  process.stdout.write(text)
}

export function table(title: string, head: readonly string[], lines: readonly (readonly string[])[]): void {
  const widths = head.map((cell, column) => Math.max(cell.length, ...lines.map((line) => line[column].length)))
  const show = (line: readonly string[]) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')
  print(`\n${title}\n\n${[head, ...lines].map(show).join('\n')}\n`)
}
