/** The program `npm run bench:method` itself, on a tenth of everything; a minute of the processor, so only at length. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isLong } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const recordings = sharedData('candles')

it.skipIf(!isLong || recordings === undefined)(
  'bench:method --quick --json prints the figures of 39 stretches and one hidden set of each place',
  () => {
    execFileSync(process.execPath, ['.ci/build.mjs', 'bench-method'], { cwd: root })
    const printed = execFileSync(
      process.execPath,
      ['dist/bench/method.js', '--quick', '--json', '--seed', 'abad1dea'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    )
    expect(JSON.parse(printed)).toMatchObject({
      seed: 'abad1dea',
      stretches: 39,
      inSample: { point: { all: { n: 39 } } },
      detective: { hidden: 1 },
    })
  },
)
