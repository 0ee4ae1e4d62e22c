/**
 * The gate: every request leaves through its queue, and nothing else repeats a request. The queue keeps a few on their way and lets the
 * more urgent purpose go first. Whether one may go is asked inside its task, in this order: nothing is sent with a refused key, a failing
 * service is left alone, a pause that the service asked for is kept, and the minute log (shared by all processes) grants a slot.
 * Reads are repeated a few times; writes never.
 */
import PQueue from 'p-queue'
import { ENDPOINTS, type EndpointName, type Scope } from '../../../contract/endpoints.ts'
import type { Clock } from '../../../system.ts'
import type { Refused, Reply } from '../outcome.ts'
import { askedPauseMs, type Passed, readAnswer } from './read-answer.ts'
import { isRead, type Operation, ownServiceName, type Sent, send, type Transport } from './send.ts'

// Requests that follow each other slowly add up to a long silence: while they do, a word is said every minute.

const longestSilenceMs = 60_000

class Silence {
  readonly #clock: Clock
  readonly #say: ((words: string) => void) | undefined
  /** Spent on exchanges since the last word; below zero while one goes on in which something was said. */
  #silentMs = 0
  #requests = 0

  /** `say` absent: somebody else reports how far things are. */
  constructor(clock: Clock, say: ((words: string) => void) | undefined) {
    this.#clock = clock
    this.#say = say
  }

  /** Something was said. */
  end(): void {
    this.#silentMs = 0
  }

  async during<T>({ endpoint }: Operation, exchange: Promise<T>): Promise<T> {
    const say = this.#say
    if (say === undefined) return exchange
    const over = new AbortController()
    const begun = this.#clock.monotonic()
    this.#requests++
    this.#clock.sleep(Math.max(0, longestSilenceMs - this.#silentMs), over.signal).then(
      () => {
        this.#silentMs = begun - this.#clock.monotonic()
        say(`still asking the service: ${endpoint} is request ${this.#requests}, no reply yet`)
      },
      () => {}, // it was answered first
    )
    try {
      return await exchange
    } finally {
      over.abort()
      this.#silentMs += this.#clock.monotonic() - begun
    }
  }
}

/** `spread`: with a pause between the starts of two requests. `at once`: each as soon as the minute has room for it. */
export type Pace = 'spread' | 'at once'

/**
 * The log of requests under one key, kept by the store. It grants a slot only while fewer than the limit are open or have ended
 * within the window: this keeps the limit for sliding windows, fixed windows and token buckets, at either pace.
 */
export interface RateLog {
  tryStart(pace: Pace): { readonly slot: number } | { readonly waitMs: number }
  finish(slot: number): void
}

/** What a request is for. Where several wait to be sent, those of a purpose further to the left leave first. */
type Purpose = 'submission' | 'reconciliation' | 'results' | 'polling' | 'question'

export interface CallOptions {
  /** Ends waiting and reading at once; a write that was sent gets ten more seconds for its answer. */
  readonly signal?: AbortSignal
  /** Default: by the endpoint (`PURPOSE_OF`). */
  readonly purpose?: Purpose | undefined
  /** Asked when its turn has come, before every try; where the answer is false it is not sent any more. */
  readonly mayLeave?: () => boolean
}

interface GateOptions {
  readonly transport: Transport
  readonly rateLog: RateLog
  /** Called with the reason when a request has to wait for long. */
  readonly onWait: (reason: string) => void
  /** Called every minute while requests, one after the other, take their time and nothing else is said. */
  readonly onSilence?: ((words: string) => void) | undefined
  /** Called with every complete answer, before it is understood. */
  readonly onReply: (operation: Operation, reply: Reply) => void
}

const PRIORITY: Readonly<Record<Purpose, number>> = {
  submission: 4,
  reconciliation: 3,
  results: 2,
  polling: 1,
  question: 0,
}

/** What a request to these endpoints is for, where its caller does not say; all others are questions of a person. */
const PURPOSE_OF: Readonly<Partial<Record<EndpointName, Purpose>>> = {
  createJob: 'submission',
  readJob: 'results',
  listJobs: 'polling',
}

/**
 * So many requests are on their way at once, or wait for the minute to have room. The whole rate (110 a minute) is reached while a reply takes
 * up to 8 s; with 4 it was half of it at 2.5 s.
 */
const requestsAtOnce = 16
const readTries = 4
const firstBackoffMs = 1_000
const longestBackoffMs = 30_000
/** After 429 ApiKeyRateLimit no request is sent with the key for at least this long … */
const ratePauseMs = 60_000
/** … and then, for a while, they are sent at half the documented rate. */
const cautiousSpacingMs = 1_100
const cautiousForMs = 600_000
const sayAfterMs = 3_000
/** A long wait is announced again so often, so that nobody takes the program for dead. */
const sayEveryMs = 60_000
/** The least wait before the minute log is asked again, so that a bug cannot make it a busy loop. */
const shortestWaitMs = 5

export class Gate {
  readonly #options: GateOptions
  /** No task gets a signal from the queue: that would let go of a task that runs, which may be a paid submission. */
  readonly #queue = new PQueue({ concurrency: requestsAtOnce })
  readonly #breaker = new Breaker()
  readonly #silence: Silence
  #nextStart = 0
  #pausedUntil = 0
  #cautiousUntil = 0
  /**
   * A foreign service may refuse bursts although its documented limit per minute allows them. Our own counts nothing shorter than
   * a minute, so requests to it are sent at once after its last reply identified it as ours.
   */
  #pace: Pace = 'spread'

  constructor(options: GateOptions) {
    this.#options = options
    this.#silence = new Silence(options.transport.system.clock, options.onSilence)
  }

  get #clock(): Clock {
    return this.#options.transport.system.clock
  }

  /** A read, repeated up to three times after a temporary failure. @throws the signal's reason */
  async read(operation: Operation, call: CallOptions = {}): Promise<Passed> {
    const { signal } = call
    for (let tryNumber = 1; ; tryNumber++) {
      const passed = await this.#pass(operation, call)
      signal?.throwIfAborted()
      if (tryNumber === readTries || this.#breaker.resting || !isPassing(passed)) return passed
      const asked = passed.kind === 'answered' ? askedPauseMs(passed.reply, this.#clock.wall()) : null
      const ms = Math.max(asked ?? 0, this.#backoffMs(tryNumber))
      await this.#wait(ms, ms === asked ? 'the service asked for a pause' : describe(passed), signal)
    }
  }

  /** A write: sent at most once. After a failure of the service, a read has to succeed first. */
  async write(operation: Operation, call: CallOptions = {}): Promise<Passed> {
    try {
      if (this.#breaker.doubtful) {
        const probe = await this.#pass({ endpoint: 'readLimits' }, call)
        if (isPassing(probe))
          return { kind: 'notSent', reason: `the service is failing: ${describe(probe)}`, passing: true }
      }
      return await this.#pass(operation, call)
    } catch (error) {
      // Only waiting throws, and only because it was interrupted: nothing has been sent.
      if (call.signal?.aborted) return { kind: 'notSent', reason: 'interrupted before it was sent', passing: false }
      throw error
    }
  }

  #pass(operation: Operation, call: CallOptions): Promise<Passed> {
    const purpose = call.purpose ?? PURPOSE_OF[operation.endpoint] ?? 'question'
    return this.#queue.add(() => this.#take(operation, call), { priority: PRIORITY[purpose] })
  }

  /** One request whose turn in the queue has come. */
  async #take(operation: Operation, { signal, mayLeave }: CallOptions): Promise<Passed> {
    if (mayLeave?.() === false) return { kind: 'notSent', reason: 'it is not needed any more', passing: false }
    const { transport, rateLog } = this.#options
    const known = this.#breaker.findRefusal(operation.endpoint)
    if (known !== undefined) return this.#answered(operation.endpoint, known)
    const slot = await this.#admit(signal)
    const meanwhile = this.#breaker.findRefusal(operation.endpoint) // others were on their way while this one waited
    if (meanwhile !== undefined) {
      rateLog.finish(slot)
      return this.#answered(operation.endpoint, meanwhile)
    }
    const outage = this.#breaker.outage
    let sent: Sent
    try {
      sent = await this.#silence.during(operation, send(transport, operation, signal))
    } finally {
      rateLog.finish(slot)
    }
    if (sent.kind !== 'reply') {
      if (sent.passing && !signal?.aborted) this.#breaker.noteFailure(this.#clock.monotonic(), outage)
      return sent
    }
    this.#options.onReply(operation, sent.reply)
    return this.#learn(operation.endpoint, this.#answered(operation.endpoint, sent.reply), outage)
  }

  /** Waits for a slot. @returns the slot, to be given back */
  async #admit(signal: AbortSignal | undefined): Promise<number> {
    for (;;) {
      const rest = this.#breaker.takeTurn(this.#clock.monotonic())
      if (rest === 0) break
      await this.#wait(rest, 'the service keeps failing', signal)
    }
    for (;;) {
      const pause = this.#pausedUntil - this.#clock.monotonic()
      if (pause <= 0) break
      await this.#wait(pause, 'the service asked for a pause', signal)
    }
    const now = this.#clock.monotonic()
    if (now < this.#cautiousUntil) {
      const start = Math.max(now, this.#nextStart)
      this.#nextStart = start + cautiousSpacingMs
      await this.#wait(start - now, 'the request rate is halved for a while', signal)
    }
    for (;;) {
      const pause = this.#pausedUntil - this.#clock.monotonic() // another request may have met one meanwhile
      if (pause > 0) await this.#wait(pause, 'the service asked for a pause', signal)
      const answer = this.#options.rateLog.tryStart(this.#pace)
      if ('slot' in answer) return answer.slot
      await this.#wait(Math.max(answer.waitMs, shortestWaitMs), 'the request rate is used up', signal)
    }
  }

  #answered(endpoint: EndpointName, reply: Reply): Passed & { kind: 'answered' } {
    return { kind: 'answered', meaning: readAnswer(endpoint, reply, this.#clock.wall()), reply }
  }

  /** Records what an answer means for later requests. */
  #learn(endpoint: EndpointName, passed: Passed & { kind: 'answered' }, outage: number): Passed {
    const { meaning, reply } = passed
    const now = this.#clock.monotonic()
    this.#pace = ownServiceName(this.#options.transport.base, reply.announced) === undefined ? 'spread' : 'at once'
    if (meaning.kind === 'unsure' && meaning.passing) this.#breaker.noteFailure(now, outage)
    else if (meaning.kind === 'refused') this.#breaker.noteRefusal(endpoint, meaning, reply)
    else this.#breaker.noteAnswer()
    if (meaning.kind === 'refused' && ['ApiKeyRateLimit', 'Unknown429'].includes(meaning.code)) {
      this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.max(meaning.retryAfterMs ?? 0, ratePauseMs))
      this.#cautiousUntil = this.#pausedUntil + cautiousForMs
    }
    return passed
  }

  #backoffMs(tryNumber: number): number {
    const [byte] = this.#options.transport.system.randomBytes(1)
    return Math.min(firstBackoffMs * 2 ** (tryNumber - 1), longestBackoffMs) * (0.5 + byte / 256)
  }

  async #wait(ms: number, reason: string, signal: AbortSignal | undefined): Promise<void> {
    if (ms >= sayAfterMs) this.#sayWaiting(`waiting ${Math.ceil(ms / 1000)} s: ${reason}`)
    for (let left = ms; ; ) {
      const slice = Math.min(left, sayEveryMs)
      await this.#clock.sleep(slice, signal)
      left -= slice
      if (left <= 0) return
      this.#sayWaiting(`still waiting, ${Math.ceil(left / 1000)} s more: ${reason}`)
    }
  }

  #sayWaiting(words: string): void {
    this.#options.onWait(words)
    this.#silence.end()
  }
}

/** A temporary failure: no answer, a failing service, or a refusal for the request rate (the pause after it is always kept). */
function isPassing(passed: Passed): boolean {
  if (passed.kind !== 'answered') return passed.passing
  const { meaning } = passed
  if (meaning.kind === 'unsure') return meaning.passing
  return meaning.kind === 'refused' && ['ApiKeyRateLimit', 'Unknown429'].includes(meaning.code)
}

function describe(passed: Passed): string {
  if (passed.kind !== 'answered') return passed.reason
  const { meaning } = passed
  return meaning.kind === 'unsure' ? meaning.reason : meaning.kind
}

const failuresBeforeRest = 5
const shortestRestMs = 5_000
const longestRestMs = 300_000

class Breaker {
  #failures = 0
  #outage = 0
  #restUntil = 0
  #keyRefused: Reply | undefined
  readonly #scopeRefused = new Map<Scope, Reply>()

  /** An earlier refusal that also applies to this request, or undefined. */
  findRefusal(endpoint: EndpointName): Reply | undefined {
    return this.#keyRefused ?? (isRead(endpoint) ? undefined : this.#scopeRefused.get(ENDPOINTS[endpoint].scope))
  }

  /** Goes up with every failure that counts. A request keeps what it was when it left. */
  get outage(): number {
    return this.#outage
  }

  /** True when the last request failed: a write waits until a read has succeeded. */
  get doubtful(): boolean {
    return this.#failures > 0
  }

  /** True while the service is left alone: then reads are not repeated. */
  get resting(): boolean {
    return this.#failures >= failuresBeforeRest
  }

  /** How long to wait before sending; 0 = send now. A caller that gets 0 takes the turn: the next one waits for a full pause. */
  takeTurn(now: number): number {
    if (!this.resting) return 0
    if (now < this.#restUntil) return this.#restUntil - now
    this.#restUntil = now + this.#restMs()
    return 0
  }

  noteRefusal(endpoint: EndpointName, refused: Refused, reply: Reply): void {
    this.noteAnswer()
    if (refused.status === 401 || refused.code === 'ApiKeyAddress') this.#keyRefused = reply
    if (refused.code === 'ApiKeyScope' && !isRead(endpoint)) this.#scopeRefused.set(ENDPOINTS[endpoint].scope, reply)
  }

  /** Records that the service gave a valid answer, also a refusal. */
  noteAnswer(): void {
    this.#failures = 0
    this.#restUntil = 0
  }

  /** `outage`: as it was when the request left. Those that were under way when one failed fail with it: together they are one failure. */
  noteFailure(now: number, outage: number): void {
    if (this.#failures > 0 && outage !== this.#outage) return
    this.#failures++
    this.#outage++
    if (this.resting) this.#restUntil = now + this.#restMs()
  }

  #restMs(): number {
    return Math.min(shortestRestMs * 2 ** Math.max(0, this.#failures - failuresBeforeRest), longestRestMs)
  }
}
