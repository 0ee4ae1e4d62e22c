/** `dcalab replay`: a stored result computed again on the local candles, and compared to the bit. */
import type { Replay } from '../../workbench/evidence/replay/replay.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { printAnswer, printJson } from '../output.ts'
import { choiceOf, TRIAL_WORDS, withResultChoice } from '../result-choice.ts'
import { headingOf, noteService, serviceOfTrials } from '../shown-service.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

/** Not equal, or not to be computed again from what lies here. */
const NOT_REPLAYED = 2

export const replayCommand: Register = (program, context) => {
  const command = program
    .command('replay')
    .description(
      'computes a stored result again on the local candles and compares every metric, deal and day; asks no service',
    )
    .argument('<trial>', TRIAL_WORDS)
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab replay 3fa94c01b2d7',
    'dcalab replay 3fa94c --settings 9be2 --json',
  ]).action(async (prefix: string, options: CommonOptions & ResultChoice) => {
    const [{ candleReader, replayTrial }, { findResult }] = await Promise.all([
      import('../../workbench/evidence/replay/replay.ts'),
      import('../../workbench/store/find-trial.ts'),
    ])
    const { store: path, candlesFolder } = pathsOf(context, options)
    const { replay, of } = await withStoreToRead(context, path, async (store) => {
      const trial = findResult(store, prefix, choiceOf(options))
      return { replay: replayTrial(trial, candleReader(candlesFolder)), of: await serviceOfTrials(store, [trial]) }
    })
    if (replay.equal !== true) context.endWith(NOT_REPLAYED)
    const { terminal } = context.system
    if (!options.json) return printAnswer(terminal, [...headingOf(of), ...describe(replay)])
    noteService(terminal, of)
    return printJson(terminal, { ...replay, service: of.name })
  })
}

function describe({ trial, equal, differences, missing }: Replay): string[] {
  const name = trial.slice(0, 12)
  if (equal === null) return [`trial ${name} cannot be computed again:`, ...missing.map((part) => `  ${part}`)]
  const verdict = equal
    ? `trial ${name} is equal to the bit in all that is stored`
    : `trial ${name} differs in ${differences.map(({ metric }) => metric).join(', ')}`
  return [
    verdict,
    ...differences.map(
      ({ metric, stored, now }) => `  ${metric}: stored ${JSON.stringify(stored)}, now ${JSON.stringify(now)}`,
    ),
    ...missing.map((part) => `  not compared: ${part}`),
  ]
}
