import { writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { it } from 'vitest'
import { desk, ended, program } from '../support/dcalab.ts'
import { httpService, studyOf } from './http-service.ts'
it('stall', async () => {
  const at = desk()
  const service = await httpService()
  writeFileSync(join(at.folder, 'study.json'), studyOf(25))
  const child = at.startNode(['--require', '/tmp/stall.cjs', program, 'run', 'study.json', '--settle', '0.2'], { DCALAB_BASE_URL: service.url, DCALAB_API_KEY: 'abcdefgh', DCALAB_SECRET_KEY: 'ijklmnop' })
  const end = ended(child)
  await new Promise((r) => setTimeout(r, 1500))
  const db = new Database(join(at.folder, 'data/workbench.sqlite'), { timeout: 2000 })
  for (let i = 0; i < 8; i++) {
    db.exec('begin immediate')
    await new Promise((r) => setTimeout(r, 1000))
    db.exec('rollback')
    await new Promise((r) => setTimeout(r, 300))
  }
  db.close()
  const { code, stderr } = await end
  writeFileSync('/tmp/stall.txt', `${code} ${stderr}\n${readFileSync('/tmp/stall.json', 'utf8')}`)
  await service.close()
  at.clear()
}, 100_000)
