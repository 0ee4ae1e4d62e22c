/**
 * Searches for the programs of a world: the real method over a twin that follows a script. What the twin says of a configuration follows from the
 * configuration and a seed, so that by its seed a search agrees with its service, has enough early, goes on to its last unit, or distrusts its twin.
 * One comes after the other, each with an investment of its own, so that no two have a trial in common.
 */
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import { createSearch } from '../../src/workbench/search/searches.ts'
import type { Searching } from '../../src/workbench/store/kept-proposals.ts'
import { memoryOf } from '../../src/workbench/store/kept-proposals.ts'
import { createGrid } from '../../src/workbench/study/grid.ts'
import type { Study } from '../../src/workbench/study/study.ts'
import { plainStudy } from '../support/plain-study.ts'
import { makeTrials, minute } from '../workbench/run/setup.ts'
import { createMemory, MARKETS, type Played, play, scriptedTwin } from '../workbench/search/scripted.ts'
import { expectedTrials, judgeSearch, readProposed } from './judge-search.ts'
import type { Program } from './program.ts'
import { createRandom, type Random } from './random.ts'
import type { Purpose } from './world.ts'

type StoppedBy = Played['stoppedBy']
type TwinScript = ReturnType<typeof scriptedTwin>

export interface SearchPurpose extends Purpose {
  /** Why those that came to an end did, in their order. */
  readonly ends: readonly StoppedBy[]
}

interface SimSearch {
  readonly study: Study
  readonly makeTwin: () => TwinScript
  readonly configs: number
}

/** As many searches, one after the other, as a world has time for. */
export function manySearches(seed: number): SearchPurpose {
  const random = createRandom(seed)
  const [rejectsSome, failsSome] = [random.chance(0.3), random.chance(0.3)]
  const hasRest = (request: Readonly<Record<string, unknown>>, n: number, rest: number) =>
    Number(request.takeProfit) % n === rest
  const rejects: Purpose['traits']['rejects'] = (request) => rejectsSome && hasRest(request, 20, 19)
  const fails: Purpose['traits']['fails'] = (request) => failsSome && hasRest(request, 7, 5)
  const isBad = (config: DcaSpotConfig) => rejects({ ...config }) || fails({ ...config })
  const searches = [drawSearch(random.fork(), 0)]
  const ends: StoppedBy[] = []
  const bad: string[] = []
  return {
    ends,
    traits: { rejects, fails },
    errand: {
      input: (program) => {
        const search = searches[searches.length - 1]
        const onScreenAgain = () => bad.push(`${search.study.name}: screened although its screen was kept`)
        return { study: search.study, trials: [], search: searchingOf(search, program, onScreenAgain) }
      },
      isOver: (stoppedBy) => {
        if (stoppedBy !== null && stoppedBy !== 'enough' && stoppedBy !== 'agreement') return false
        ends.push(stoppedBy)
        searches.push(drawSearch(random.fork(), searches.length))
        return false
      },
    },
    judge: async (storePath, book) => {
      for (const [number, { study, makeTwin, configs }] of searches.entries()) {
        const twin = makeTwin()
        const search = createSearch({ study, memory: createMemory(), localEngine: twin, anyway: false })
        if (search === null) throw new Error('a screen is a search')
        const played = await play(search, (config) =>
          isBad(config) ? null : { netProfit: config.takeProfit, maxDrawdownPercent: 0 },
        )
        const found = judgeSearch({
          proposed: readProposed(storePath, study.name),
          expected: expectedTrials(played),
          end: ends[number],
          expectedEnd: played.stoppedBy,
          jobs: book.filter(({ send, request }) => send !== null && request.investment === investmentOf(number)),
          isRejected: (takeProfit) => rejects({ takeProfit }),
          configs,
        })
        bad.push(...found.map((words) => `${study.name}: ${words}`))
      }
      return bad
    },
  }
}

const investmentOf = (number: number) => 1_000 + number
const takeProfits = Array.from({ length: 60 }, (_, n) => n + 1)
const [{ period, config: plainConfig }] = makeTrials(1)

/** What the twin says of a configuration for which the service says `truth`, a profit; `chance`: from 0 to 1, of the configuration. */
const TWINS: readonly ((truth: number, chance: number) => number)[] = [
  (truth) => 10 * truth,
  (truth, chance) => 10 * truth + 500 * chance,
  (truth, chance) => 3 + 10 * ((truth * 7) % 60) + chance,
  (truth) => -10 * truth,
]

function drawSearch(random: Random, number: number): SimSearch {
  const configs = 12 + random.below(22)
  const markets = MARKETS.slice(0, random.pick([1, 1, 2]))
  const study = plainStudy({
    name: `search-${number}`,
    markets,
    period,
    base: { ...plainConfig, investment: investmentOf(number) },
    axes: [{ field: 'takeProfit', values: takeProfits }],
    search: {
      method: 'screen',
      configs,
      samples: 3 + random.below(5),
      calibrate: 'auto',
      seed: random.below(1_000),
    },
  })
  const twinOf = random.pick(TWINS)
  const salt = random.below(2 ** 31)
  const twinProfit = ({ takeProfit }: DcaSpotConfig) => twinOf(takeProfit, createRandom(salt + takeProfit).next())
  const grid = createGrid(study)
  const all = takeProfits.map((_, point) => grid.configAt(point))
  const probes = takeProfits.slice(0, random.below(4)).map((_, n) => all[(salt + 17 * n) % all.length])
  const makeTwin = () =>
    scriptedTwin({
      markets,
      objective: study.objective,
      best: all.toSorted((a, b) => twinProfit(b) - twinProfit(a)),
      localEngine: (config) => ({ netProfit: twinProfit(config), maxDrawdownPercent: 0 }),
      ...(probes.length === 0 ? {} : { probes }),
    })
  return { study, makeTwin, configs }
}

const screenMs = 5 * minute

/** As the command puts a search together, over a program that may die while it screens. */
function searchingOf({ study, makeTwin }: SimSearch, { system }: Program, onScreenAgain: () => void): Searching {
  return {
    period: study.period,
    roles: ['test', 'sample', 'chosen'],
    start: ({ store, searcher }) => {
      const memory = memoryOf(store, searcher)
      const script = makeTwin()
      const screen: TwinScript['screen'] = async (request) => {
        if (memory.read('screened') !== undefined) onScreenAgain()
        await system.clock.sleep(screenMs)
        return script.screen(request)
      }
      const search = createSearch({ study, memory, localEngine: { ...script, screen }, anyway: false })
      if (search === null) throw new Error('a screen is a search')
      return search
    },
  }
}
