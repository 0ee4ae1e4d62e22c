/** Threads that share one task: they are given the same columns, asked one by one, and fail together. */
import { afterEach, describe, expect, it } from 'vitest'
import { createWorkerGroup, type WorkerGroup } from '../../src/workers/worker-group.ts'
import { fixture } from './fixtures.ts'

interface Told {
  readonly request: string
  readonly threadId: number
  readonly first: number
}

const crews: WorkerGroup<string, Told>[] = []
afterEach(() => Promise.all(crews.splice(0).map((crew) => crew.close())))

function setup(size: number) {
  const column = new Float64Array(new SharedArrayBuffer(8)).fill(1)
  const crew = createWorkerGroup<{ column: Float64Array }, string, Told>({
    workerFile: fixture('worker-group.mjs'),
    size,
    setting: { column },
  })
  crews.push(crew)
  return { workerGroup: crew, column }
}

describe('a crew', () => {
  it('answers every question, on as many threads as it has', async () => {
    const { workerGroup } = setup(2)
    const questions = Array.from({ length: 20 }, (_, at) => `question ${at}`)
    const answers = await Promise.all(questions.map((question) => workerGroup.ask(question)))
    expect(answers.map(({ request }) => request)).toEqual(questions)
    expect(new Set(answers.map(({ threadId }) => threadId)).size).toBe(2)
  })

  it('reads shared columns where they lie', async () => {
    const { workerGroup, column } = setup(1)
    expect((await workerGroup.ask('look')).first).toBe(1)
    column[0] = 2
    expect((await workerGroup.ask('look')).first).toBe(2)
  })

  it('hands back what a thread throws, and goes on', async () => {
    const { workerGroup } = setup(1)
    await expect(workerGroup.ask('throw')).rejects.toThrow(/no such portion/)
    expect((await workerGroup.ask('look')).request).toBe('look')
  })

  it('fails as a whole when a thread is lost', async () => {
    const { workerGroup } = setup(2)
    const others = ['wait', 'look'].map((question) => workerGroup.ask(question))
    const lost = workerGroup.ask('exit')
    for (const question of [others[0], lost]) await expect(question).rejects.toThrow(/ended: exit code 7/)
    await expect(workerGroup.ask('look')).rejects.toThrow(/exit code 7/)
    await others[1]
  })

  it('rejects what it leaves undone when it is closed', async () => {
    const { workerGroup } = setup(1)
    const questions = ['wait', 'look'].map((question) => workerGroup.ask(question))
    const settled = Promise.allSettled(questions)
    await workerGroup.close()
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
