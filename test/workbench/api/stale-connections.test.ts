/** H34: a service that closes connections it has answered on loses no request of ours, for every one has a connection of its own. */
import { expect, it } from 'vitest'
import { clientOf, goodBody, JOB_REQUEST, json, type Script, scriptedService } from './world.ts'

const posts = 400

/** Answers with keep-alive, whatever was asked for, and resets the connection under a second request: the worst alignment of the race. */
function oncePerConnection(): Script {
  const used = new WeakSet<object>()
  return (hit, response) => {
    const { socket } = response
    if (socket === null) return
    if (used.has(socket)) return void socket.resetAndDestroy()
    used.add(socket)
    response.setHeader('connection', 'keep-alive')
    json(response, 200, goodBody(hit))
  }
}

it(`${posts} POSTs to a service that drops idle connections: not one unknown outcome`, async () => {
  const service = await scriptedService(oncePerConnection())
  const { client } = clientOf(service.url)
  const kinds: Record<string, number> = {}
  for (let n = 0; n < posts; n++) {
    const { kind } = await client.createJob(JOB_REQUEST)
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  expect(kinds).toEqual({ acked: posts })
  expect(service.hits.length).toBe(posts)
  expect(service.sockets()).toBe(posts)
  await service.close()
})

it('reads and writes one after the other lose nothing either', async () => {
  const service = await scriptedService(oncePerConnection())
  const { client } = clientOf(service.url)
  for (let n = 0; n < 50; n++) {
    expect((await client.limits()).kind).toBe('ok')
    expect((await client.createJob(JOB_REQUEST)).kind).toBe('acked')
  }
  expect(service.hits.length).toBe(100)
  await service.close()
})

it('plain fetch, which keeps connections, does lose some (control)', async () => {
  const service = await scriptedService(oncePerConnection())
  let lost = 0
  for (let n = 0; n < 20; n++) {
    const body = JSON.stringify(JOB_REQUEST)
    const answer = await fetch(`${service.url}/api/backtest/jobs`, { method: 'POST', body }).catch(() => undefined)
    if (answer === undefined) lost++
    else await answer.text()
  }
  expect(lost).toBeGreaterThan(0)
  await service.close()
})
