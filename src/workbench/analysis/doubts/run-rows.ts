/** Doubts about a run while it goes on: what it met that a person may have to look after. */
import type { DoubtRow } from './row.ts'

const inMinutes = (ms: number) => `${Math.ceil(ms / 60_000)} min`

/** `lab`: the letters of the other; null = the service does not show who sent it. `late`: it is of this store, and arrived after it was given up. */
interface TwoJobs {
  readonly trial: string
  readonly ours: string
  readonly theirs: string
  readonly lab: string | null
  readonly late: boolean
}

export const RUN_DOUBTS = {
  allowanceDiffers: {
    weight: 'info',
    when: 'the service has counted more backtests than our ledger',
    say: ({ used, ours }: { readonly used: number; readonly ours: number }) =>
      `the service has counted ${used} backtests, our ledger ${ours}; it may refuse before we expect it`,
    short: ({ used, ours }: { readonly used: number; readonly ours: number }) => `${used} counted, ours ${ours}`,
    hint: 'see who else uses the key',
  },
  duplicateRemote: {
    weight: 'info',
    when: 'the service received one submission twice',
    say: ({ name }: { readonly name: string }) => `${name} was delivered twice on its way; the first job counts`,
    short: (_: { readonly name: string }) => 'delivered twice',
    hint: 'nothing: the second job used up a unit and is left out of counts',
  },
  paidTwice: {
    weight: 'info',
    when: 'a trial has two jobs at the service, one of this store and one that another lab sent with the same key, or that arrived too late',
    say: ({ trial, ours, theirs, lab, late }: TwoJobs) => {
      const where = late ? 'arrived after it had been given up' : 'was not sent by this store'
      return `trial ${trial.slice(0, 12)} was paid for twice: job ${ours} of this lab counts, job ${theirs} ${lab === null ? where : `is of lab ${lab}`}`
    },
    short: (_: TwoJobs) => 'paid for twice',
    hint: '`dcalab run --part 1/2` here and `--part 2/2` there divide the trials beforehand',
  },
  unknownSender: {
    weight: 'info',
    when: 'the service lists jobs of somebody else and does not show what they ask for',
    say: () =>
      'this key has jobs that were not sent by this store, and the service shows neither their names nor what they ask for: a lab that runs the same study elsewhere pays for the same trials',
    short: () => 'jobs of somebody else',
    hint: '`dcalab run --part 1/2` here and `--part 2/2` there divide the trials; `dcalab store merge` joins their stores',
  },
  unusableItems: {
    weight: 'warn',
    when: 'items of the job list have no id that can be used, so a missing job may still exist',
    say: ({ count, first }: { readonly count: number; readonly first: string }) =>
      `${count} of the job list cannot be read as jobs, so what is missing in it may still exist; the others are used (${first})`,
    short: ({ count }: { readonly count: number }) => `${count} unreadable jobs`,
    hint: '`dcalab service check --show listJobs` prints the list; a dialect can name the id',
  },
  unknownState: {
    weight: 'warn',
    when: 'the service says a word of a job’s state that is not explained, so the job is looked at again and again',
    say: ({ word }: { readonly word: string }) =>
      `the service says ${JSON.stringify(word)} of a job, which is not explained: it is looked at until it says another word`,
    short: ({ word }: { readonly word: string }) => `unknown state ${JSON.stringify(word)}`,
    hint: '`jobState` of a dialect says what the word means',
  },
  stalledJob: {
    weight: 'warn',
    when: 'a job has run for many times what jobs of this service take, and is no longer waited for',
    say: (given: { readonly job: string; readonly ranForMs: number; readonly longestMs: number | null }) => {
      const others =
        given.longestMs === null
          ? 'no job of this service ever has'
          : `the longest of this service’s last jobs took ${inMinutes(given.longestMs)}`
      return `job ${given.job} has not ended after ${inMinutes(given.ranForMs)}, and ${others}: it is no longer waited for, nor sent again`
    },
    short: ({ ranForMs }: { readonly ranForMs: number }) => `no end after ${inMinutes(ranForMs)}`,
    hint: 'the next run looks at it again; `dcalab service jobs show <job>` prints what the service says of it',
  },
  keyCanTrade: {
    weight: 'warn',
    when: 'the service says that the key which only submits backtests could trade too',
    say: () => 'this key can trade (the service announces CanTrade), and a run needs no more than CanUseLab',
    short: () => 'this key can trade',
    hint: 'give a run a key without CanTrade; promote and bots alone ask for a trading pair (DCALAB_TRADE_API_KEY)',
  },
  scopesUnknown: {
    weight: 'info',
    when: 'the service does not say what the key may do',
    say: () =>
      'whether this key can trade is not known: the service does not announce its scopes, and nothing is tried out',
    short: () => 'scopes of the key unknown',
    hint: 'a run needs a key with CanUseLab alone; `limits` of a dialect can name the scopes',
  },
  repeatedPage: {
    weight: 'warn',
    when: 'a page of the job list names a page that was read before as its next one',
    say: ({ pages }: { readonly pages: number }) =>
      `the job list comes back to a page that was read already, after ${pages} pages: it is taken for incomplete`,
    short: ({ pages }: { readonly pages: number }) => `job list repeats after ${pages} pages`,
    hint: '`dcalab service check --show listJobs` prints the list; `jobList` of a dialect says what follows a page',
  },
  outcomeNotKept: {
    weight: 'warn',
    when: 'neither the store nor a file beside it could take an outcome',
    say: ({ reason }: { readonly reason: string }) => `an outcome could not be written down (${reason})`,
    short: (_: { readonly reason: string }) => 'an outcome was not kept',
    hint: 'make room on the disk, then run the study again: the submission is looked for at the service',
  },
  logGrows: {
    weight: 'warn',
    threshold: 64,
    when: 'another program keeps the store’s log from shrinking, and it has grown to 64 MB',
    say: ({ megabytes, readers }: { readonly megabytes: number; readonly readers: readonly number[] }) => {
      const who = readers.length === 0 ? 'another program' : `process ${readers.join(', ')}`
      return `the store's log has grown to ${Math.round(megabytes)} MB because ${who} keeps a long read open; end it to free the space`
    },
    short: ({ megabytes }: { readonly megabytes: number }) => `log of ${Math.round(megabytes)} MB`,
    hint: 'end the reader that it names',
  },
} as const satisfies Record<string, DoubtRow<never>>
