/** The best candidates so far: a fixed number of places, independent of the size of the grid and of the order of the reports. */

import type { DcaSpotConfig } from '../../contract/bot.ts'
import { configFingerprint, trialFingerprint } from '../study/fingerprint.ts'
import type { Study } from '../study/study.ts'
import type { GridPlace } from './messages.ts'

export interface Candidate {
  /** Number of the grid point. */
  readonly index: number
  /** Higher is better. */
  readonly score: number
}

/** Points and their scores, as columns. */
export interface Candidates {
  readonly indices: Float64Array
  readonly scores: Float64Array
}

export interface Shortlist {
  offer(candidate: Candidate): void
  /** The same of many, as workers report them. */
  offerAll(candidates: Candidates): void
  /** The last place when all are taken: candidates behind it are not needed. */
  floor(): GridPlace | null
  /** Best first, ties by lower fingerprint. */
  ranked(): readonly Candidate[]
  /** True when all places are taken, so that other candidates may have been dropped. */
  isFull(): boolean
}

/** Candidates are collected before they are sorted, up to so many beyond the size. */
const SLACK = 1024

/** @param fingerprintOf asked only where scores tie */
export function createShortlist(size: number, fingerprintOf: (index: number) => string): Shortlist {
  interface Entry extends Candidate {
    fingerprint: string | undefined
  }
  let entries: Entry[] = []
  let last: GridPlace | null = null

  const nameOf = (entry: Entry) => {
    entry.fingerprint ??= fingerprintOf(entry.index)
    return entry.fingerprint
  }
  const byRank = (a: Entry, b: Entry) => b.score - a.score || (nameOf(a) < nameOf(b) ? -1 : 1)

  /** Sorts ties only at the place where the list is cut; the others are sorted at the end. */
  function trim(): void {
    if (entries.length < size) return
    entries.sort((a, b) => b.score - a.score)
    const { score } = entries[size - 1]
    const better = entries.filter((entry) => entry.score > score)
    const tied = entries.filter((entry) => entry.score === score).sort(byRank)
    entries = [...better, ...tied.slice(0, size - better.length)]
    last = { score, fingerprint: nameOf(entries[size - 1]) }
  }

  function offer({ index, score }: Candidate): void {
    if (last !== null && score < last.score) return
    entries.push({ index, score, fingerprint: undefined })
    if (entries.length >= size + SLACK) trim()
  }

  return {
    offer,
    offerAll({ indices, scores }) {
      indices.forEach((index, at) => {
        offer({ index, score: scores[at] })
      })
    },
    floor() {
      if (last === null) trim()
      return last
    },
    ranked() {
      trim()
      return entries.toSorted(byRank)
    },
    isFull: () => entries.length >= size,
  }
}

// The name of a configuration, which decides between equal scores.

/** On one market a configuration is one trial and has its name; on several it has its own, also where some of them have no candles. */
export function nameConfigs({ markets, period }: Study): (config: DcaSpotConfig) => string {
  if (markets.length > 1) return configFingerprint
  const [market] = markets
  return (config) => trialFingerprint({ market, period, config })
}
