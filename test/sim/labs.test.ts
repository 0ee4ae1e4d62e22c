/** Two and three labs that start within a minute of each other, with one key and one study: what they pay for twice, by the service's book. */
import { expect, it } from 'vitest'
import { isLong, share } from '../support/share.ts'
import { makeTrials } from '../workbench/run/setup.ts'
import { type LabsReport, type LabsSetting, runLabs } from './labs.ts'
import type { Fate } from './network.ts'

const seeds = share({ usual: 1, long: 50 })
const trialsOfLabs = share({ usual: 20, long: 40 })
const trials = makeTrials(trialsOfLabs)

/** Digits of trials that a lab said to be paid for twice. */
function namedBy({ labs }: LabsReport): Set<string> {
  const messages = labs.flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === 'warning' && event.code === 'paidTwice' ? [event.message] : [])),
  )
  return new Set(messages.map((message) => /^trial ([0-9a-f]{12}) /.exec(message)?.[1] ?? message))
}

function said(report: LabsReport, words: string | RegExp): string[] {
  return report.labs.flatMap(({ events }) =>
    events.flatMap((event) => ('message' in event && event.message.match(words) ? [event.message] : [])),
  )
}

/** What is in the first and not in the second. */
function lacking<T>(these: ReadonlySet<T>, those: ReadonlySet<T>): T[] {
  return [...these].filter((one) => !those.has(one))
}

/** Of each seed: what was paid twice, and what was not said of it or was said wrongly. */
async function shareTheStudy(setting: Omit<LabsSetting, 'seed' | 'trials'>, words: string) {
  const doubles: number[] = []
  const bad: string[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const report = await runLabs({ seed, trials: trialsOfLabs, ...setting })
    doubles.push(report.doubles)
    for (const { summary } of report.labs) {
      const { done } = summary.trials
      const isWhole = setting.inParts ? (done ?? 0) > 0 : done === trialsOfLabs
      if (!isWhole || summary.stoppedBy !== null) bad.push(`seed ${seed}: ${done} done, ended by ${summary.stoppedBy}`)
    }
    if (new Set(report.book.map(({ request }) => request.takeProfit)).size !== trialsOfLabs)
      bad.push(`seed ${seed}: a trial was left out`)
    if (said(report, /delivered twice/).length > 0) bad.push(`seed ${seed}: said to be delivered twice`)
    if (setting.echoes !== 'nothing') {
      const named = namedBy(report)
      const doubled = new Set(report.doubled.map((takeProfit) => trials[takeProfit - 1].fingerprint.slice(0, 12)))
      for (const trial of lacking(doubled, named)) bad.push(`seed ${seed}: nobody said that ${trial} was paid twice`)
      for (const trial of lacking(named, doubled)) bad.push(`seed ${seed}: ${trial} was not paid twice`)
    }
    if (setting.echoes === 'all') bad.push(...judgeIntroductions(report).map((found) => `seed ${seed}: ${found}`))
    report.clear()
  }
  doubles.sort((a, b) => a - b)
  const [least, median, most] = [0, doubles.length >> 1, doubles.length - 1].map((place) => doubles[place])
  process.stdout.write(
    `${words}: ${least}, ${median}, ${most} doubles of ${trialsOfLabs} (least, median, most of ${seeds} seeds)\n`,
  )
  expect(bad).toEqual([])
  return { doubles, least, most }
}

/** Each lab names each other one at most once, and only ones that there are. */
function judgeIntroductions({ labs }: LabsReport): string[] {
  return labs.flatMap(({ events, letters }) => {
    const named = events.flatMap((event) =>
      'message' in event
        ? (/^Another lab \((\w+)\) submits this study with this key: each takes its part, results of both count here\.$/.exec(
            event.message,
          )?.[1] ?? [])
        : [],
    )
    const others = labs.map((lab) => lab.letters).filter((their) => their !== letters)
    const isRight = named.length === new Set(named).size && named.every((one) => others.includes(one))
    return isRight ? [] : [`${letters} named ${named.join(', ')}`]
  })
}

it('two labs whose names are shown pay for at most a tenth of the trials twice, and name them', {
  timeout: 600_000,
}, async () => {
  const { most } = await shareTheStudy({ labs: 2, echoes: 'all' }, 'two labs, names')
  expect(most).toBeLessThanOrEqual(trialsOfLabs / 10)
})

it('three labs whose names are shown pay twice at most a fifth as often as there are trials', {
  timeout: 600_000,
}, async () => {
  const { most } = await shareTheStudy({ labs: 3, echoes: 'all' }, 'three labs, names')
  expect(most).toBeLessThanOrEqual(trialsOfLabs / 5)
})

it('where requests alone are shown labs pay twice seldom, and name it', { timeout: 600_000 }, async () => {
  const two = await shareTheStudy({ labs: 2, echoes: 'request' }, 'two labs, requests')
  expect(two.most).toBeLessThanOrEqual((trialsOfLabs * 7) / 40)
  const three = await shareTheStudy({ labs: 3, echoes: 'request' }, 'three labs, requests')
  expect(three.most).toBeLessThanOrEqual((trialsOfLabs * 14) / 40)
})

it('where nothing is shown each lab pays for everything, and parts alone help', { timeout: 600_000 }, async () => {
  const blind = await shareTheStudy({ labs: 2, echoes: 'nothing' }, 'two labs, nothing shown')
  expect(blind.least).toBe(trialsOfLabs)
  if (!isLong) return
  const three = await shareTheStudy({ labs: 3, echoes: 'nothing' }, 'three labs, nothing shown')
  expect(three.least).toBe(2 * trialsOfLabs)
})

it.each([
  ['names', 'all'],
  ['requests', 'request'],
  ['nothing', 'nothing'],
] as const)(
  'labs that each run a part pay for no trial twice: %s shown',
  { timeout: 600_000 },
  async (shown, echoes) => {
    for (const labs of share({ usual: [3], long: [2, 3] })) {
      const { most } = await shareTheStudy({ labs, echoes, inParts: true }, `${labs} parts, ${shown} shown`)
      expect(most).toBe(0)
    }
  },
)

it('answers that are lost make it no worse: what was left aside meanwhile is looked for again', {
  timeout: 600_000,
}, async () => {
  // In one of these worlds 13 trials were paid for twice, 8 of them unnoticed, before that was done.
  for (const echoes of ['all', 'request'] as const) {
    for (const seed of share({ usual: [5], long: Array.from({ length: 20 }, (_, n) => n + 1) })) {
      const report = await runLabs({ seed, trials: trialsOfLabs, labs: 2, echoes, fate: loseAnswers })
      expect(report.labs.map(({ summary }) => summary.trials.done)).toEqual([trialsOfLabs, trialsOfLabs])
      expect(report.doubles).toBeLessThanOrEqual((trialsOfLabs * 7) / 40)
      expect(namedBy(report).size).toBe(report.doubled.length)
      report.clear()
    }
  }
})

function loseAnswers(n: number): Fate {
  if (n % 9 !== 4) return 'ok'
  return n % 2 === 1 ? 'resetAfter' : 'resetBefore'
}

it('a request that is delivered twice on its way is named so, and no other is', { timeout: 600_000 }, async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const report = await runLabs({
      seed,
      trials: trialsOfLabs,
      labs: 2,
      echoes: 'all',
      fate: (n) => (n % 7 === 3 ? 'twice' : 'ok'),
    })
    const bySend = Map.groupBy(report.book, ({ send }) => send)
    const twice = [...bySend.values()].filter((jobs) => jobs.length > 1).map(([{ name }]) => name)
    const named = said(report, /was delivered twice/).map((message) => message.split(' ')[0])
    expect(lacking(new Set(named), new Set(twice))).toEqual([])
    report.clear()
  }
})
