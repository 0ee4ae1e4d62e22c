/** How far a long measurement is, on stderr: now and then, and when it is through. */

const EVERY_MS = 20_000

export function sayProgress(what: string, of: number): (done: number) => void {
  let saidAt = performance.now()
  return (done) => {
    if (done < of && performance.now() - saidAt < EVERY_MS) return
    saidAt = performance.now()
    process.stderr.write(`${done} of ${of} ${what}, ${cpuMinutes()} minutes of the processor\n`)
  }
}

function cpuMinutes(): string {
  const { user, system } = process.cpuUsage()
  return ((user + system) / 60e6).toFixed(1)
}
