/** An answer of the service on its last metres: whole, cut short, or without an end. */
import type { Life } from './network.ts'
import type { Answer } from './service.ts'

export function toResponse({ status, body, headers }: Answer): Response {
  return new Response(body, { status, headers })
}

/** The headers promise more than the body brings before the line breaks. */
export function cutResponse({ status, body, headers }: Answer, length: number): Response {
  const part = new TextEncoder().encode(body.slice(0, length))
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(part),
    pull: (controller) => controller.error(Object.assign(new Error('terminated'), { code: 'ECONNRESET' })),
  })
  return new Response(stream, { status, headers })
}

/** The headers come, the body never ends; only giving up ends it. */
export function hangingResponse(
  { status, headers }: Answer,
  signal: AbortSignal | null | undefined,
  life: Life,
): Response {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{'))
      let isOver = false
      const end = (reason: unknown) => {
        if (!isOver) controller.error(reason)
        isOver = true
      }
      signal?.addEventListener('abort', () => end(signal.reason), { once: true })
      life.onDeath(end)
    },
  })
  return new Response(stream, { status, headers })
}
