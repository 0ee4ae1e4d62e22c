/** Points drawn by a seed, all of them proposed at once: at random, or evenly spread. Nothing is learnt on the way. */
import type { Market } from '../../contract/market.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import type { Advice, SearchMethod, TestedProposal } from '../study/proposals.ts'
import { type ConfigSpace, drawConfigs } from './draw-configs.ts'

interface DrawTask {
  readonly by: 'random' | 'sobol'
  readonly configs: number
  readonly seed: number
  readonly markets: readonly Market[]
}

export function createDrawSearch({ by, configs, seed, markets }: DrawTask, space: ConfigSpace): SearchMethod {
  const drawing = drawConfigs(space, { by, count: configs, seed })
  return {
    async propose(history: readonly TestedProposal[]): Promise<Advice> {
      const tested = new Set(history.map(({ config }) => configFingerprint(config)))
      const proposals = drawing.configs.flatMap(({ config, fingerprint }, at) =>
        tested.has(fingerprint) ? [] : [{ config, role: 'point' as const, reason: `${by} ${at + 1}`, markets }],
      )
      return proposals.length > 0 ? { kind: 'propose', proposals } : { kind: 'end', stoppedBy: null }
    },
    describe: (history) => ({
      agreement: null,
      lines: [
        `${history.length} of ${drawing.configs.length} drawn configurations were tried`,
        ...(drawing.shortfall === null ? [] : [`${configs} were wanted: ${drawing.shortfall}`]),
      ],
    }),
  }
}
