/** Threads that share one task: they are given the same columns, asked one by one, and fail together. */
import { afterEach, describe, expect, it } from 'vitest'
import { type Crew, createCrew } from '../../src/workers/crew.ts'
import { fixture } from './fixtures.ts'

interface Told {
  readonly request: string
  readonly threadId: number
  readonly first: number
}

const crews: Crew<string, Told>[] = []
afterEach(() => Promise.all(crews.splice(0).map((crew) => crew.close())))

function setup(size: number) {
  const column = new Float64Array(new SharedArrayBuffer(8)).fill(1)
  const crew = createCrew<{ column: Float64Array }, string, Told>({
    workerFile: fixture('crew.mjs'),
    size,
    setting: { column },
  })
  crews.push(crew)
  return { crew, column }
}

describe('a crew', () => {
  it('answers every question, on as many threads as it has', async () => {
    const { crew } = setup(2)
    const questions = Array.from({ length: 20 }, (_, at) => `question ${at}`)
    const answers = await Promise.all(questions.map((question) => crew.ask(question)))
    expect(answers.map(({ request }) => request)).toEqual(questions)
    expect(new Set(answers.map(({ threadId }) => threadId)).size).toBe(2)
  })

  it('reads shared columns where they lie', async () => {
    const { crew, column } = setup(1)
    expect((await crew.ask('look')).first).toBe(1)
    column[0] = 2
    expect((await crew.ask('look')).first).toBe(2)
  })

  it('hands back what a thread throws, and goes on', async () => {
    const { crew } = setup(1)
    await expect(crew.ask('throw')).rejects.toThrow(/no such portion/)
    expect((await crew.ask('look')).request).toBe('look')
  })

  it('fails as a whole when a thread is lost', async () => {
    const { crew } = setup(2)
    const others = ['wait', 'look'].map((question) => crew.ask(question))
    const lost = crew.ask('exit')
    for (const question of [others[0], lost]) await expect(question).rejects.toThrow(/ended: exit code 7/)
    await expect(crew.ask('look')).rejects.toThrow(/exit code 7/)
    await others[1]
  })

  it('rejects what it leaves undone when it is closed', async () => {
    const { crew } = setup(1)
    const questions = ['wait', 'look'].map((question) => crew.ask(question))
    const settled = Promise.allSettled(questions)
    await crew.close()
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
