/** R6, H41: the intent is on the disk, and not only written, before the first byte of its POST leaves. Seen from the kernel's side. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { httpService, studyOf } from '../proc/http-service.ts'
import { desk, ended, projectRoot } from '../support/dcalab.ts'
import { share } from '../support/share.ts'
import { canTrace } from '../support/strace.ts'

const submissions = share({ usual: 6, long: 50 })

it.skipIf(!canTrace())(`the intents of ${submissions} submissions are synced before their POSTs`, async () => {
  const at = desk()
  const service = await httpService()
  try {
    writeFileSync(join(at.folder, 'study.json'), studyOf(submissions))
    const trace = join(at.folder, 'trace.txt')
    const run = spawn(
      'strace',
      // prettier-ignore
      [
        '-f',
        '--seccomp-bpf', // stops the program at the calls that are asked for, not at each
        '-y',
        '-s',
        '6000',
        '-e',
        'trace=write,writev,pwrite64,fdatasync,fsync',
        '-o',
        trace,
        process.execPath,
        join(projectRoot, 'dist/main.js'),
        'run',
        'study.json',
        '--rate',
        '6000',
      ],
      {
        cwd: at.folder,
        env: {
          PATH: process.env.PATH ?? '',
          HOME: at.folder,
          DCALAB_BASE_URL: service.url,
          DCALAB_API_KEY: 'trace-key-1',
          DCALAB_SECRET_KEY: 'trace-secret-1',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const { code, stderr } = await ended(run)
    expect(stderr).not.toMatch(/bug/)
    expect(code).toBe(0)
    const { posts, synced } = readTrace(readFileSync(trace, 'latin1'))
    expect(posts).toHaveLength(submissions)
    expect(synced).toBe(submissions)
  } finally {
    await service.close()
  }
})

/** Which names were posted, and how many of them had been written to the log and synced by then. */
function readTrace(text: string): { posts: string[]; synced: number } {
  const written = new Set<string>()
  const durable = new Set<string>()
  const posts: string[] = []
  let synced = 0
  for (const line of text.split('\n')) {
    const names = line.match(/dcalab-proc-[0-9a-f]{12}-\d+/g) ?? []
    if (/pwrite64\(\d+<[^>]*-wal>/.test(line)) for (const name of names) written.add(name)
    else if (/f(data)?sync\(\d+<[^>]*-wal>/.test(line)) {
      for (const name of written) durable.add(name)
    } else if (/writev?\(\d+<(TCP|socket)/.test(line) && line.includes('\\"name\\":\\"dcalab-')) {
      for (const name of new Set(names)) {
        posts.push(name)
        if (durable.has(name)) synced++
      }
    }
  }
  return { posts, synced }
}
