/** H31: what a service pours into an answer does not stay in memory. In a process of its own, where nothing else comes and goes. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Desk, desk, ended, program } from '../support/dcalab.ts'
import { goodBody, json, type ScriptedService, scriptedService } from '../workbench/api/world.ts'

const size = 210_000_000
/** Members of a gzip follow each other: twenty-one of ten megabytes are as good as one, and made in a twentieth of the time. */
const bomb = Buffer.concat(Array<Buffer>(21).fill(gzipSync(Buffer.alloc(size / 21, 0x20))))
const piece = Buffer.alloc(65_536, 0x20)

let at: Desk
let service: ScriptedService
beforeAll(async () => {
  at = desk()
  service = await scriptedService((hit, response) => {
    if (hit.url.endsWith('/largest')) {
      response.writeHead(200)
      response.end(Buffer.alloc(8_000_000, 0x20))
    } else if (hit.url.endsWith('/gzip')) {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(bomb)
    } else if (hit.url.endsWith('/plain')) {
      response.writeHead(200)
      let left = size / piece.length
      const pour = () => {
        while (left-- > 0 && !response.destroyed) if (!response.write(piece)) return void response.once('drain', pour)
        response.end()
      }
      pour()
    } else json(response, 200, goodBody(hit))
  })
})
afterAll(async () => {
  await service.close()
})

/** Largest resident size of one `jobs show` in bytes, and how it ended. */
async function show(id: string): Promise<{ peak: number; code: number | null; stderr: string }> {
  const tellPeak = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))"
  const child = at.startNode(['--import', `data:text/javascript,${tellPeak}`, program, 'service', 'jobs', 'show', id], {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: 'bomb-key-1',
    DCALAB_SECRET_KEY: 'bomb-secret-1',
  })
  const { code, stderr } = await ended(child)
  return { peak: Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024, code, stderr }
}

it('210 MB in 204 kB of gzip, and 210 MB plain, take what an answer of 8 MB takes', async () => {
  const largest = await show('largest')
  expect(largest.stderr).not.toContain('larger than')
  expect(largest.peak).toBeGreaterThan(20e6)
  for (const kind of ['gzip', 'plain']) {
    const { peak, code, stderr } = await show(kind)
    expect(stderr).toContain('larger than 8 MB')
    expect(code).toBe(5)
    expect(peak - largest.peak).toBeLessThan(32e6) // a process counts the memory of the one that started it, which must be small: `STARTING` in projects.ts
  }
})
