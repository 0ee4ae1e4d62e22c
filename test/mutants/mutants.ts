/**
 * R11: rules taken out one at a time, each in a copy of the project; the test named beside it must turn red. A suite that lets one of them
 * live would not have noticed its loss.
 */

export interface Mutant {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** The test that kills it. */
  readonly test: string
  /** Only tests whose name matches. */
  readonly only?: string
}

const enumerate = 'test/crash/enumerate.test.ts'
const limiter = 'test/limiter/windows.property.test.ts'
const search = 'test/workbench/run/search.test.ts'
const curve = 'test/engine/curve.test.ts'
const walk = 'src/engine/curve/deal-walk.ts'
const sweep = 'src/engine/curve/take-profit.ts'

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no intent row is kept of a POST without an answer',
    file: 'src/workbench/run/submit.ts',
    find: 'await keepOutcome(run, recorded)',
    replace: "await keepOutcome(run, recorded.to === 'ambiguous' ? { ...recorded, to: 'released' } : recorded)",
    test: enumerate,
    only: 'resetAfter',
  },
  {
    name: 'the intent is written after the POST, so that a dead process leaves none',
    file: 'src/workbench/run/reconcile.ts',
    find: "    to: 'ambiguous',\n    countedAt: now + run.settleMs,",
    replace: "    to: 'released',",
    test: enumerate,
    only: 'meets late',
  },
  {
    name: 'synchronous=NORMAL',
    file: 'src/workbench/store/store.ts',
    find: "db.pragma('synchronous = FULL')",
    replace: "db.pragma('synchronous = NORMAL')",
    test: 'test/workbench/store/open.test.ts',
    only: 'a new store',
  },
  {
    name: 'writes are repeated blindly',
    file: 'src/workbench/api/wire/gate.ts',
    find: 'return await this.#pass(operation, call)\n    } catch',
    replace:
      'const first = await this.#pass(operation, call)\n      return isPassing(first) ? await this.#pass(operation, call) : first\n    } catch',
    test: 'test/workbench/api/fates.test.ts',
  },
  {
    name: 'the library repeats requests',
    file: 'src/workbench/api/wire/send.ts',
    find: 'retry: false,',
    replace: 'retry: 2,',
    test: 'test/workbench/api/fates.test.ts',
  },
  {
    name: 'the deadline ends with the headers',
    file: 'src/workbench/api/wire/send.ts',
    find: "serverDate = readDate(response.headers.get('date'))",
    replace: "serverDate = readDate(response.headers.get('date'))\n    deadline.stop()",
    test: enumerate,
    only: 'never ends',
  },
  {
    name: 'redirects are followed',
    file: 'src/workbench/api/wire/send.ts',
    find: "redirect: 'manual',",
    replace: "redirect: 'follow',",
    test: 'test/workbench/api/redirect.test.ts',
  },
  {
    name: 'a 3xx is taken for success',
    file: 'src/workbench/api/wire/read-answer.ts',
    find: 'if (status >= 200 && status <= 299)',
    replace: 'if (status >= 200 && status <= 399)',
    test: 'test/workbench/api/redirect.test.ts',
  },
  {
    name: 'JSON is read leniently',
    file: 'src/workbench/api/wire/send.ts',
    find: 'json: wellFormed ? parseLossless(clean) : undefined,',
    replace: 'json: parseLossless(clean) ?? { value: {} },',
    test: 'test/workbench/api/bodies.test.ts',
  },
  {
    name: 'an unanswered submission is judged at once',
    file: 'src/workbench/run/run-state.ts',
    find: 'Math.max(this.#nextSearchAt, this.arrivedBy(submission))',
    replace: 'Math.max(this.#nextSearchAt, submission.unsureSince ?? submission.openedAt)',
    test: enumerate,
    only: 'late',
  },
  {
    name: 'only the first page of the list is read',
    file: 'src/workbench/run/list.ts',
    find: 'if (read.page.next === null) return',
    replace: 'if (page >= 0) return',
    test: 'test/workbench/run/evidence.test.ts',
  },
  {
    name: 'a list that lacks our jobs is evidence all the same',
    file: 'src/workbench/run/reconcile.ts',
    find: 'if (hidden.length === 0) return true',
    replace: 'if (hidden.length >= 0) return true',
    test: 'test/workbench/run/evidence.test.ts',
  },
  {
    name: 'a 5xx frees the unit',
    file: 'src/workbench/run/outcome-table.ts',
    find: "          to: 'ambiguous',\n          countedAt: at + settleMs,",
    replace: "          to: 'released',",
    test: enumerate,
    only: 'failsAfterWork',
  },
  {
    name: 'a rejected submission is free',
    file: 'src/workbench/run/outcome-table.ts',
    find: "          to: 'rejected',",
    replace: "          to: 'released',",
    test: 'test/workbench/run/run.test.ts',
  },
  {
    name: 'a 429 fails the trial',
    file: 'src/workbench/run/outcome-table.ts',
    find: "          to: 'released',\n          reason: outcome.message,",
    replace: "          to: 'rejected',\n          reason: outcome.message,",
    test: 'test/workbench/run/run.test.ts',
    only: 'refused|allowance',
  },
  {
    name: 'the allowance is kept in memory',
    file: 'src/workbench/store/ledger.ts',
    find: '    ...counted.all(store.db, of),\n',
    replace: '',
    test: 'test/workbench/run/run.test.ts',
    only: 'allowance',
  },
  {
    name: 'the day is counted by the wall clock',
    file: 'src/workbench/run/service-clock.ts',
    find: 'const now = () => offset + clock.monotonic()',
    replace: 'const now = () => clock.wall()',
    test: 'test/workbench/run/service-clock.test.ts',
  },
  {
    name: 'requests are counted in fixed windows',
    file: 'src/workbench/store/request-log.ts',
    find: '.filter((end) => end > now - limits.windowMs)',
    replace: '.filter((end) => end > Math.floor(now / limits.windowMs) * limits.windowMs)',
    test: limiter,
    only: 'requests at three',
  },
  {
    name: 'requests are stamped at their start',
    file: 'src/workbench/store/request-log.ts',
    find: 'if (finishedMs !== null) return finishedMs',
    replace: 'if (finishedMs !== null) return startedMs',
    test: 'test/workbench/store/request-log.test.ts',
  },
  {
    name: 'a restart forgets the minute',
    file: 'src/workbench/store/request-log.ts',
    find: '    countFromBoot.run(db, { now })\n',
    replace: "    countFromBoot.run(db, { now })\n    if (busySince === undefined) db.exec('delete from request')\n",
    test: 'test/workbench/store/request-log.test.ts',
  },
  {
    name: 'room is checked before, and not inside, the transaction that takes it',
    file: 'src/workbench/store/attempts.ts',
    find: "if (!request.admit(readSpent(store, request))) return 'full'",
    replace: '',
    test: 'test/workbench/store/attempts.test.ts',
  },
  {
    name: 'two programs submit with one key',
    file: 'src/workbench/store/lock.ts',
    find: "db.exec('begin immediate')",
    replace: "db.exec('begin')",
    test: 'test/workbench/store/lock.test.ts',
  },
  {
    name: 'the transport does not look whether a bot is a demo',
    file: 'src/workbench/api/wire/send.ts',
    find: 'if (unsafe !== undefined) return',
    replace: 'if (unsafe === null) return',
    test: 'test/proc/transport.test.ts',
  },
  {
    name: 'a bot of the same name is adopted whatever its settings',
    file: 'src/workbench/bots/promote/make-bot.ts',
    find: 'if (sameBot !== undefined || namesakes.length === 0) return sameBot',
    replace: 'if (namesakes.length >= 0) return namesakes.at(0)',
    test: 'test/workbench/promote/promote.test.ts',
  },
  {
    name: 'a reply that cannot be read is dropped',
    file: 'src/workbench/store/observe-job.ts',
    find: 'const replyId = keepReply(db, jobId, seen, final)',
    replace: "const replyId = keepReply(db, jobId, seen.result === null ? { ...seen, body: '' } : seen, final)",
    test: 'test/workbench/store/results.test.ts',
    only: 'byte for byte|cannot be read',
  },
  {
    name: 'proposals are written after they are sent',
    file: 'src/workbench/run/submit.ts',
    find: '    return await run.client.createJob(request, run.call)',
    replace:
      "    const rows = run.store.db.prepare('select * from proposal').all()\n    run.store.db.exec('delete from proposal')\n    const outcome = await run.client.createJob(request, run.call)\n    for (const row of rows) run.store.db.prepare('insert into proposal values (' + Object.keys(Object(row)).map((name) => ':' + name) + ')').run(row)\n    return outcome",
    test: search,
    only: 'written down before',
  },
  {
    name: 'a batch is written proposal by proposal',
    file: 'src/workbench/run/ask-search.ts',
    find: 'await recordProposals(store, searcher, { proposals, period: searching.period })',
    replace:
      'for (const proposal of proposals) await recordProposals(store, searcher, { proposals: [proposal], period: searching.period })',
    test: search,
    only: 'crash at any step.*ok',
  },
  {
    name: 'a search is asked while something of its batch still runs',
    file: 'src/workbench/run/run-state.ts',
    find: ' && haveEnded(this.#trials, stages)',
    replace: '',
    test: search,
    only: 'asked once for each batch',
  },
  {
    name: 'a search is told of a part of a batch',
    file: 'src/workbench/run/ask-search.ts',
    find: 'proposals.filter(({ batch }) => !open.has(batch))',
    replace: 'proposals.filter(({ trials }) => haveEnded(trials, stages))',
    test: search,
    only: 'part of a batch',
  },
  {
    name: 'a trial that is proposed in two roles is sent for each',
    file: 'src/workbench/run/run.ts',
    find: 'return isAskedAgain && isOver && stage.attemptId <= run.lastAttemptBefore',
    replace:
      "const roles = run.agenda.proposals.filter(({ trials }) => trials.some((trial) => trial.fingerprint === fingerprint))\n    const sent = run.store.db.prepare('select 1 from attempt where fingerprint = ?').all(fingerprint)\n    return isOver && sent.length < roles.length",
    test: search,
    only: 'asked once for each batch',
  },
  {
    name: 'after a lost store the list is read once, before the first batch',
    file: 'src/workbench/run/ask-search.ts',
    find: 'if (listForeignIds(store, run.serviceAccount).size > 0) run.polls.surveyAgain()',
    replace: '',
    test: search,
    only: 'store was lost',
  },
  {
    name: 'a take profit that the open of a candle touches is no bound of the curve',
    file: walk,
    find: '      this.#boundTouch(deal, ratio, opened, candle.open)\n',
    replace: '',
    test: curve,
  },
  {
    name: 'a take profit that the high touches is no bound of the curve',
    file: walk,
    find: '    this.#boundTouch(deal, ratio, opened, candle.high)\n',
    replace: '',
    test: curve,
  },
  {
    name: 'nor one that the high touches after a fill',
    file: walk,
    find: '      this.#boundTouch(deal, ratio, deepest, candle.high)\n',
    replace: '',
    test: curve,
  },
  {
    name: 'nor one that the close touches after a fill',
    file: walk,
    find: '      this.#boundTouch(deal, ratio, deepest, candle.close)\n',
    replace: '',
    test: curve,
  },
  {
    name: 'the curve keeps the path of an ambiguous candle that ends sold or held',
    file: walk,
    find: 'deal.bound = lastWhere(isSame, { from: ratio, to, guess: (ratio + to) / 2 }) ?? deal.bound',
    replace: '',
    test: curve,
  },
  {
    name: 'the curve keeps the path of an ambiguous candle that ends sold in both ways',
    file: walk,
    find: 'deal.bound = Math.min(deal.bound, Math.max(ratio, before(crossing)))',
    replace: '',
    test: curve,
  },
  {
    name: 'near the crossing the curve does not try each double or step of the tick',
    file: walk,
    find: 'deal.bound = lastWhere(isLevel, { from: ratio, to, guess: ratio }) ?? deal.bound',
    replace: '',
    test: curve,
  },
  {
    name: 'the curve is certified though cash was lost',
    file: sweep,
    find: 'if (losers.size === 0) return need',
    replace: 'if (losers.size >= 0) return need',
    test: curve,
  },
  {
    name: 'the best of the curve is looked for without the steps of a tick',
    file: sweep,
    find: 'profit + stair >= most -',
    replace: 'profit >= most -',
    test: curve,
  },
  {
    name: 'whether a rung at the stop exists is believed of every deal as of one at the price 1',
    file: 'src/engine/jump/flight.ts',
    find: '< TOUCH / 100',
    replace: '< 0',
    test: 'test/engine/jump/sweep.test.ts',
    only: 'rounding alone',
  },
]
