/** The first layout of the store. A migration is history: once released it is never edited, only followed by another. */
import { attempts } from './0001-attempts.ts'
import { ledgers } from './0001-ledgers.ts'
import { results } from './0001-results.ts'
import { trials } from './0001-trials.ts'

export const firstLayout = trials + attempts + results + ledgers
