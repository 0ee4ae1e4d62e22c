/**
 * The top of a whole grid without running most of it (decision 0019): a bound says what a family of points can make at most, families are run from the highest bound downwards, and
 * what is bounded below the last place of the top is dropped.
 *
 *     bounds     of every family ──► the highest first
 *     descend    in rounds: the next points whose bound is not below the floor ──► shortlist ──► a higher floor, until nothing is left above it
 *     walk down  the shortlist with every metric, as in a screen of the whole grid. Is the top not filled by what lies above the floor,
 *                because bounds of the objective or equal behaviour took places? Descend on to a lower floor
 */
import { createGrid } from '../../study/grid.ts'
import { depthsOf, signOf } from '../appraise.ts'
import { SPARE_PLACES } from '../find-top.ts'
import { countFolded, type Folded, foldInto, NOTHING_YET, scoreOf } from '../fold.ts'
import { type Depth, slackOf } from '../measures.ts'
import { nameConfigs } from '../name-configs.ts'
import type { GridRequest, GridScreening } from '../screen-grid.ts'
import { walkDown } from '../walk-down.ts'
import { createDescent, type Descent } from './descend.ts'
import { planFamilies } from './plan-families.ts'

/** So many more places are filled when the wanted ones were not enough. */
const MORE = 4

export async function pruneGrid(request: Omit<GridRequest, 'points'>): Promise<GridScreening> {
  const { crew, setting, top: wanted, signal, now, onProgress } = request
  const { study, portions, markets } = setting
  const { objective } = study
  const grid = createGrid(study, portions.order)
  const nameOf = nameConfigs(study)
  const families = planFamilies({ study, order: portions.order, markets })
  const options = { objective, wanted }
  const stop = signal === undefined ? {} : { signal }
  const descentAt = (depth: Depth) =>
    createDescent({
      crew,
      depth,
      families,
      places: wanted + SPARE_PLACES,
      portion: portions.size,
      fingerprintOf: (index) => nameOf(grid.configAt(index)),
      onPoints: (done, { points, mostMs }) => {
        const total = grid.points
        const dropped = () => Math.max(0, Math.round(total - done - (points() ?? total)))
        onProgress?.({ pass: depth, done, total, dropped, leftMs: () => null, mostMs })
      },
      ...(now === undefined ? {} : { now }),
      ...stop,
    })

  let best: Folded = NOTHING_YET
  let [complete, comparedOnly]: [boolean, number | null] = [false, null]
  let first: Descent | undefined
  for (const depth of depthsOf(objective)) {
    const descent = descentAt(depth)
    first ??= descent
    const end = await fillTop(descent, depth)
    complete = end === 'filled' || end === 'all'
    const candidates = descent.shortlist.ranked()
    comparedOnly = complete && best.top.length < wanted && descent.shortlist.isFull() ? candidates.length : null
    if (end !== 'outside') break
  }
  const computed = first?.computed() ?? 0
  return {
    points: complete ? grid.points : computed,
    feasible: computed,
    complete,
    top: best.top,
    folded: countFolded(best, options),
    comparedOnly,
    markets: markets.map((_, at) => ({ simulated: first?.simulated()[at] ?? 0, parameters: [] })),
    pruned: { computed, dropped: families.trials - computed, looks: families.looks },
  }

  /** `outside`: too many candidates lie outside a bound of the objective that this depth does not know. */
  async function fillTop(descent: Descent, depth: Depth): Promise<'filled' | 'all' | 'outside' | 'interrupted'> {
    let places = wanted
    let floor: number | null = null
    for (;;) {
      const reached = await descent.descend(floor === null ? { places } : { floor })
      const candidates = descent.shortlist.ranked()
      const walk = await walkDown(candidates, { crew, ...options, depth, ...stop })
      const { found } = walk
      best = foldInto({ ...found, equal: new Map([...best.equal, ...found.equal]) }, best.top, options)
      if (signal?.aborted) return 'interrupted'
      const last = found.top.at(wanted - 1)
      if (last !== undefined) {
        // What was dropped lies below the floor that was reached, and so below the last place.
        floor = signOf(objective) * scoreOf(last) - slackOf(last.scale, depth)
        if (reached <= floor) return 'filled'
      } else {
        if (!walk.isSettled) return 'outside'
        const known = descent.shortlist.isFull() ? (candidates.at(-1)?.score ?? 0) : Number.NEGATIVE_INFINITY
        if (reached <= known) return 'all'
        if (places === SPARE_PLACES + wanted) floor = Number.NEGATIVE_INFINITY
        else places = Math.min(places * MORE, SPARE_PLACES + wanted)
      }
    }
  }
}
