import { countsAndIndexes } from './0008-counts-and-indexes.ts'
import { resultsAndLooks } from './0008-results-and-looks.ts'
import { trialsAndRevisions } from './0008-trials-and-revisions.ts'

/**
 * The eighth layout. Settings (interval, conventions, costs, symbol rules) belong to an attempt; a study has numbered revisions; a trial
 * names its configuration alone; deals have a table, replies are compressed; what was looked at is counted; which objects are ours is
 * recorded; how a study stands is counted once.
 */
export const eighthLayout = `${trialsAndRevisions}${resultsAndLooks}${countsAndIndexes}`
