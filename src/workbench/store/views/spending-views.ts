/** Views of what was sent, what became of it and what it used up. */
import type { View } from './column.ts'
import { FATE_COLUMNS, JOB_OF_ATTEMPT, latestAttempts, settingsDigits } from './latest-attempt.ts'
import { PAYING_STUDY, REVISION_OF_ATTEMPT } from './paid-result.ts'
import { shared, trialDigits } from './shared-columns.ts'

export const outcomesView: View = {
  rows: 'One row per trial, service identity and settings that was ever tried and not set free again: what became of it.',
  columns: {
    ...shared('a', 'identity', 'fingerprint'),
    attempt_id: { sql: 'a.id', unit: 'count', meaning: 'row of the latest try', whenNull: null },
    job_row: { sql: 'j.id', unit: 'count', meaning: 'row of the job', whenNull: 'while there is no job' },
    ...FATE_COLUMNS,
    ...settingsDigits('a'),
  },
  from: `from attempt a
  ${JOB_OF_ATTEMPT}
  where a.id in ${latestAttempts({ identity: 'a.identity', fingerprint: 'a.fingerprint' })}`,
}

export const attemptsView: View = {
  rows: 'One row per try to send a trial: the spending behind the allowance.',
  columns: {
    ...shared('a', 'identity', 'account'),
    ...PAYING_STUDY,
    ...shared('a', 'fingerprint'),
    ...trialDigits('a.fingerprint'),
    number: { sql: 'a.number', unit: 'count', meaning: 'which try of this trial, from 1', whenNull: null },
    name: { sql: 'a.name', unit: 'text', meaning: 'the name that was sent', whenNull: null },
    state: {
      sql: 'a.state',
      unit: 'text',
      meaning: 'intent, acked, rejected, released, ambiguous, adopted, absent or parked',
      whenNull: null,
    },
    counted: {
      sql: "case when a.state = 'released' then 0 else 1 end",
      unit: 'yes/no',
      meaning: 'it may have used up one unit of the allowance',
      whenNull: null,
    },
    opened_at: { sql: 'a.opened_at', unit: 'time', meaning: 'when its intent was written', whenNull: null },
    unsure_since: {
      sql: 'a.unsure_since',
      unit: 'time',
      meaning: 'when we gave up waiting for an answer',
      whenNull: 'where an answer came',
    },
    counted_at: {
      sql: 'a.counted_at',
      unit: 'time',
      meaning: 'the latest time at which the service may have counted it',
      whenNull: 'while it is open, and where it was free',
    },
    settled_at: {
      sql: 'a.settled_at',
      unit: 'time',
      meaning: 'when its fate was known',
      whenNull: 'while it is open',
    },
    reply_status: {
      sql: 'a.reply_status',
      unit: 'count',
      meaning: 'HTTP status of the reply',
      whenNull: 'without a reply',
    },
    reply_code: {
      sql: 'a.reply_code',
      unit: 'text',
      meaning: 'the service’s code in the reply',
      whenNull: 'without a code',
    },
    reason: {
      sql: 'a.reason',
      unit: 'text',
      meaning: 'why it was refused, rejected or is unsure',
      whenNull: 'where all is well',
    },
    ...settingsDigits('a'),
    run: {
      sql: 'a.study_run_id',
      unit: 'count',
      meaning: 'number of the run that paid for it',
      whenNull: 'for what older programs left',
      since: 8,
    },
    revision: {
      sql: REVISION_OF_ATTEMPT,
      unit: 'count',
      meaning: 'the revision of the study that paid for it, from 1',
      whenNull: 'for what older programs left, and once the study was removed',
      since: 8,
    },
  },
  from: 'from attempt a',
}

/** In the last 24 hours and a minute; the identity is named to find them by the index. */
const counted = "counted_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-86460 seconds')"

export const allowanceView: View = {
  rows: "Per service identity and account: backtests that may have been counted in the last 24 hours (and a minute) by this machine's clock.",
  columns: {
    ...shared('c', 'identity', 'account'),
    ...shared('s', 'simulated'),
    used: { sql: 'count(*)', unit: 'count', meaning: 'those of other clients included', whenNull: null },
    oldest_at: { sql: 'min(c.at)', unit: 'time', meaning: 'when the oldest of them was counted', whenNull: null },
    oldest_free_at: {
      sql: "strftime('%Y-%m-%dT%H:%M:%fZ', min(c.at), '+86460 seconds')",
      unit: 'time',
      meaning: 'when the oldest of them stops counting',
      whenNull: null,
    },
  },
  from: `from (
    select identity, account, counted_at as at from attempt where identity in (select identity from service) and ${counted}
    union all
    select identity, account, opened_at from attempt where state in ('intent', 'ambiguous') and state = 'intent'
    union all
    select identity, account, counted_at from foreign_job where ${counted}
  ) c
  join service s on s.identity = c.identity
  group by c.identity, c.account`,
}
