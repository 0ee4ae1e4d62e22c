/** A program that dies at a chosen step: every request and every commit has one before and one after it. */
import type { Store } from '../../../src/workbench/store/store.ts'

export class Crash extends Error {}

/** The same store, whose commits are steps too. */
export function crashingStore(store: Store, step: () => void): Store {
  const { db } = store
  const crashing = new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') {
        return (work: () => unknown) => {
          const transaction = target.transaction(work)
          const immediate = () => {
            step()
            const answer = transaction.immediate()
            step()
            return answer
          }
          return Object.assign(() => transaction(), { immediate }) // what only reads is no step
        }
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...store, db: crashing }
}
