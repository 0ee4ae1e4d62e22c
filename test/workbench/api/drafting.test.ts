/** Drafts of services whose names say little: what a field does shows what it is. */
import { expect, it } from 'vitest'
import { guessJobId } from '../../../src/workbench/api/drafting/draft-job.ts'
import {
  bringHelpers,
  completeModule,
  draftAgain,
  draftFunctions,
  type SeenBodies,
  writeModule,
} from '../../../src/workbench/api/drafting/draft-module.ts'

const ticketOf = (n: number) => ({
  phase: 'QUEUED',
  label: `dcalab-lab-${n}`,
  made: 1_735_877_106 + n,
  ticket: `T-${n}`,
})

function draftOf(bodies: SeenBodies): string {
  const module = writeModule(draftFunctions(bodies, new Set(['job', 'jobList'])), undefined)
  return bringHelpers(module ?? '', bodies)
}

it.each([
  [
    'from a list and a reply that repeats one',
    { jobList: { rows: [ticketOf(1), ticketOf(2)] }, jobs: [{ r: ticketOf(2) }] },
  ],
  ['from a list of one and the answer of its POST', { jobList: [ticketOf(1)], jobs: [ticketOf(1)] }],
  ['from the answer of a POST alone', { jobList: [], jobs: [ticketOf(1)] }],
])('an id called ticket is drafted %s', (_what, bodies) => {
  expect(draftOf(bodies)).toContain('      id: job.ticket, // ')
})

it('a job is asked for by what differs in each item', () => {
  expect(guessJobId([ticketOf(1), ticketOf(2)])).toBe('T-1')
  expect(guessJobId([{ phase: 'QUEUED', made: 1_735_877_106 }])).toBeNull()
})

it('a draft from a POST alone is drafted again when the list shows jobs otherwise, unless it was corrected', () => {
  const first = { jobList: [], jobs: [ticketOf(1)] }
  const later = { jobList: { rows: [{ head: ticketOf(1) }, { head: ticketOf(2) }] }, jobs: [ticketOf(1)] }
  const draft = draftOf(first)
  const again = draftAgain(draft, later)
  expect(again).toContain('id: job.head?.ticket')
  expect(again).not.toContain('id: job.ticket')
  const corrected = draft.replace('job.ticket', 'String(job.ticket)')
  expect(draftAgain(corrected, later)).toBe(corrected)
})

it('name and request, which an answer did not show, are added to a draft that was corrected since, once', () => {
  const { phase, made, ticket } = ticketOf(1)
  const bot = { takeProfit: 1, stopLoss: 0, investment: 1000 }
  const shown = { jobList: [{ ...ticketOf(1), order: { bot } }, ticketOf(2)], jobs: [{ phase, made, ticket }] }
  const corrected = draftOf({ jobs: shown.jobs }).replace('job.ticket', 'String(job.ticket)')
  const completed = completeModule(corrected, shown)
  expect(completed).toContain('    return {\n      name: job.label, //')
  expect(completed).toContain('      request: job.order && {\n        ...job.order?.bot, //')
  expect(completed).toContain('String(job.ticket)')
  expect(completeModule(completed, shown)).toBe(completed)
})

it('a module gets the helpers that it calls once, and keeps the form that was written there', () => {
  const bodies = { jobs: [], jobList: [{ id: 'a', profit: '1,853.34' }] }
  const calls = 'export const dialect = {\n  limits: (body) => ({ limit: money(body.n), used: share(body.s) }),\n}\n'
  const brought = bringHelpers(calls, bodies)
  expect(brought).toBe(
    `import { form } from 'dcalab'\n\nconst { money, share } = form({ decimal: '.' }) // as in "1,853.34"\n\n${calls}`,
  )
  const own = brought.replace("{ decimal: '.' }", "{ decimal: ',', unit: 'EUR' }").replace('share(', 'percent(')
  expect(bringHelpers(own, bodies)).toContain("const { money, percent } = form({ decimal: ',', unit: 'EUR' })")
  expect(bringHelpers(own, bodies).match(/from 'dcalab'/g)).toHaveLength(1)
  expect(bringHelpers('export const dialect = {}\n', bodies)).toBe('export const dialect = {}\n')
})

it('times that say too little get the form that the texts show', () => {
  const job = (made: string) => ({ id: made, state: 'DONE', createdAt: made })
  const german = { jobs: [], jobList: [job('03/04/2025 12:00'), job('25/04/2025 12:00')] }
  expect(draftOf(german)).toContain(
    `form({ dates: 'dmy', zone: 'UTC' }) // as in "25/04/2025 12:00"; a guess: "03/04/2025 12:00" names no zone`,
  )
  expect(draftOf(german)).toContain('createdAt: time(job.createdAt)')
})
