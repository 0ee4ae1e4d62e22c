/**
 * The way between a program and the service: an in-memory `fetch` whose requests are delayed, lost, doubled, cut and answered by
 * others. What has left the machine arrives whether or not the program still lives.
 */
import type { Random } from './random.ts'
import { cutResponse, hangingResponse, toResponse } from './replies.ts'
import type { Answer, SimService } from './service.ts'
import type { VirtualTime } from './time.ts'

export const FATES = [
  'ok',
  'refusedConnection',
  'resetBefore',
  'resetAfter',
  'timeoutBefore',
  'timeoutAfter',
  'cutBody',
  'hangingBody',
  'late',
  'twice',
  'html',
  'failsAfterWork',
  'failsBeforeWork',
] as const

export type Fate = (typeof FATES)[number]

export interface Wire {
  /** Requests that did not simply work. */
  readonly faults: () => number
  readonly sends: () => number
  fetchOf(life: Life): typeof globalThis.fetch
}

/** A program in its process, as the world around it sees it. */
export interface Life {
  /** Throws when the program is dead, or dies at this moment. */
  step(where: string): void
  /** The machine is suspended until then (true time). */
  sleepsUntil(): number
  /** Calls back when the program dies; answers how to forget it. At once when it is dead. */
  onDeath(tell: (reason: unknown) => void): () => void
}

export interface WireSettings {
  readonly time: VirtualTime
  readonly service: SimService
  readonly random: Random
  /** What happens to the next request. */
  readonly fate: (method: string) => Fate
  /** One way, ms. */
  readonly latency: () => number
  /** How late what was given up may still arrive, ms. */
  readonly latestMs: number
  readonly note: (line: string) => void
}

export function createWire(settings: WireSettings): Wire {
  const { time, service, random } = settings
  let faults = 0
  let sends = 0

  function fetchOf(life: Life): typeof globalThis.fetch {
    return (input, init) => {
      let resolve: (response: Response) => void = () => {}
      let reject: (reason: unknown) => void = () => {}
      const promise = new Promise<Response>((onDone, onFail) => {
        resolve = onDone
        reject = onFail
      })
      const send = ++sends
      const method = init?.method ?? 'GET'
      const url = String(input)
      const body = typeof init?.body === 'string' ? init.body : undefined
      const fate = settings.fate(method)
      if (fate !== 'ok') faults++
      const signal = init?.signal
      const giveUp = () => reject(signal?.reason)
      const forget = life.onDeath(reject)
      const done = () => {
        signal?.removeEventListener('abort', giveUp)
        forget()
      }
      promise.then(done, done)
      if (signal?.aborted) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true })

      const arrive = (): Answer => {
        const answer = service.handle({ method, url, body, send }, time.now)
        settings.note(`${send} ${method} ${fate} ${answer.status}`)
        return answer
      }
      const later = (ms: number, act: () => void) => {
        time.at(time.now + ms, act)
      }
      const breakOff = (code: string) =>
        reject(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }))
      // A machine that sleeps hears nothing; when it wakes, its connections are gone.
      const isHeard = (): boolean => {
        const wakesAt = life.sleepsUntil()
        if (wakesAt <= time.now) return true
        time.at(wakesAt, () => breakOff('ECONNRESET'))
        return false
      }
      const fail = (code: string) =>
        later(settings.latency(), () => {
          if (isHeard()) breakOff(code)
        })
      const reply = (make: () => Response) =>
        later(settings.latency(), () => {
          if (!isHeard()) return
          try {
            life.step('reply')
            resolve(make())
          } catch {
            // Nobody is there to read it any more; `onDeath` has told.
          }
        })

      try {
        life.step('before bytes')
      } catch (error) {
        reject(error)
        return promise
      }
      switch (fate) {
        case 'ok':
          later(settings.latency(), () => {
            const answer = arrive()
            reply(() => toResponse(answer))
          })
          break
        case 'twice':
          later(settings.latency(), () => {
            const answer = arrive()
            reply(() => toResponse(answer))
            later(random.between(0, 5_000), arrive)
          })
          break
        case 'refusedConnection':
          fail('ECONNREFUSED')
          break
        case 'resetBefore':
          fail('ECONNRESET')
          break
        case 'resetAfter':
          later(settings.latency(), () => {
            arrive()
            fail('ECONNRESET')
          })
          break
        case 'timeoutBefore':
          break
        case 'timeoutAfter':
          later(settings.latency(), arrive)
          break
        case 'late':
          fail('ECONNRESET')
          later(random.between(1_000, settings.latestMs), arrive)
          break
        case 'cutBody':
          later(settings.latency(), () => {
            const answer = arrive()
            const length = random.below(Math.max(1, answer.body.length - 1))
            reply(() => cutResponse(answer, length))
          })
          break
        case 'hangingBody':
          later(settings.latency(), () => {
            const answer = arrive()
            reply(() => hangingResponse(answer, signal, life))
          })
          break
        case 'html':
          if (random.chance(0.5)) later(settings.latency(), arrive)
          reply(() => new Response('<html><body>Bad gateway</body></html>', { status: random.chance(0.5) ? 502 : 200 }))
          break
        case 'failsAfterWork':
          later(settings.latency(), () => {
            arrive()
            reply(() => new Response('{"error":"internal"}', { status: 500 }))
          })
          break
        case 'failsBeforeWork':
          reply(() => new Response('{"error":"unavailable"}', { status: 503 }))
          break
      }
      try {
        life.step('bytes left')
      } catch (error) {
        reject(error)
      }
      return promise
    }
  }
  return { fetchOf, faults: () => faults, sends: () => sends }
}
