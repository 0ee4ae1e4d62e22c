/**
 * Other labs: stores that submit trials of the same study with the same key, elsewhere. Each looks into the service's list, counts what the
 * others sent, and takes their results as its own. Which trial comes next is chosen so that they seldom choose the same one.
 */
import type { Trial } from '../study/study.ts'

export interface TrialPart {
  /** From 1 to `of`. */
  readonly number: number
  readonly of: number
}

/** Which part of a study a trial belongs to, the same in every store: of n parts each trial is in exactly one. */
export function isInPart({ fingerprint }: Pick<Trial, 'fingerprint'>, { number, of }: TrialPart): boolean {
  return numberOf(fingerprint) % of === number - 1
}

/** Exact as a double. */
function numberOf(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice(0, 12), 16)
}

export class Labs {
  readonly #letters = new Set<string>()
  #hasNameless = false
  readonly #passedOver = new Set<string>()
  readonly #introduced = new Set<string | null>()
  /** Jobs of the first list: a store that was lost, or restored, may have sent them. */
  #atStart: ReadonlySet<string> | undefined

  /** `ids`: jobs of a list that the store does not know. Those of the first list are kept. */
  noteList(ids: readonly string[]): void {
    this.#atStart ??= new Set(ids)
  }

  /** The job came while this run went on. */
  isNew(id: string): boolean {
    return this.#atStart?.has(id) === false
  }

  /** `letters`: null = the service does not show them. */
  note(letters: string | null): void {
    if (letters === null) this.#hasNameless = true
    else this.#letters.add(letters)
  }

  /** A job that may be the submission without an answer, until that has an outcome. */
  passOver(id: string): void {
    this.#passedOver.add(id)
  }

  get hasPassedOver(): boolean {
    return this.#passedOver.size > 0
  }

  takePassedOver(): readonly string[] {
    const ids = [...this.#passedOver]
    this.#passedOver.clear()
    return ids
  }

  /** Answers whether it is the first time: each is named once. */
  introduce(letters: string | null): boolean {
    const isFirst = !this.#introduced.has(letters)
    this.#introduced.add(letters)
    return isFirst
  }

  get areSeen(): boolean {
    return this.#hasNameless || this.#letters.size > 0
  }

  /**
   * The trial to submit next. A lab that knows of no other takes them in order. One that does takes its own part first, from the end, where
   * who does not know of it comes last; then those of the others, who are at their ends: each lab that helps with a part begins at another
   * place of it. Labs that do not know each other's letters each take them in an order of their own. `letters`: of this store.
   */
  choose(todo: readonly Trial[], letters: string | null): Trial {
    if (!this.areSeen || letters === null) return todo[0]
    if (this.#letters.size === 0)
      return firstBy(todo, ({ fingerprint }) => mix(`${letters}${fingerprint.slice(0, 12)}`))
    const labs = [...new Set([letters, ...this.#letters])].sort()
    const own = labs.indexOf(letters)
    const partAfter = (n: number) => ({ number: ((own + n) % labs.length) + 1, of: labs.length })
    const ours = todo.findLast((trial) => isInPart(trial, partAfter(0)))
    if (ours !== undefined) return ours
    for (let n = 1; n < labs.length; n++) {
      const theirs = todo.filter((trial) => isInPart(trial, partAfter(n)))
      // Where a lab has fallen behind, several do its part: each begins at another place of it.
      if (theirs.length > 0) return theirs[Math.floor(((n - 1) * theirs.length) / (labs.length - 1))]
    }
    return todo[0]
  }
}

function firstBy(trials: readonly Trial[], keyOf: (trial: Trial) => number): Trial {
  const keyed = trials.map((trial) => ({ trial, key: keyOf(trial) }))
  return keyed.reduce((first, other) => (other.key < first.key ? other : first)).trial
}

/** A number from 0 to 2^32 − 1 (FNV-1a, then the last steps of MurmurHash3). */
function mix(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
