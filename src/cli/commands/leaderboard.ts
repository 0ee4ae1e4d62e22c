/** The commands that rank and judge: `dcalab leaderboard`, `verdict` and `examine`. What they do is loaded when they run. */

import { type Register, withCandles, withExamples, withStore } from '../context.ts'
import type { VerdictOptions } from '../describe-verdict.ts'
import { formatOption, option, whole } from '../option.ts'
import type { LeaderboardOptions } from '../ranking-table.ts'
import { USUAL_HORIZON_DAYS, withResultChoice, withServiceOption } from '../shown-service.ts'
import type { ExamineOptions } from './examine/describe-examination.ts'

export const leaderboardCommand: Register = (program, context) => {
  const command = program
    .command('leaderboard')
    .description('rank the results of a study, best first')
    .argument('<study>', 'name of a study in the store, or of a revision: my-ladder@2')
    .addOption(whole('--top <n>', 'how many', { minimum: 1, default: 20 }))
    .addOption(formatOption())
  withExamples(withServiceOption(withStore(command)), [
    'dcalab leaderboard btc-may-2021',
    'dcalab leaderboard demo --top 5 --json',
  ]).action(async (name: string, options: LeaderboardOptions) => {
    const { showLeaderboard } = await import('../ranking-table.ts')
    return showLeaderboard(context, name, options)
  })
}

export const verdictCommand: Register = (program, context) => {
  const command = program
    .command('verdict')
    .description('judge the best of a study, or a trial, on stored history')
    .argument('<study or id>', 'name of a study in the store, or the id of a configuration')
    .addOption(
      option('--market <market>', 'the market to judge, where the study has several', { otherwise: 'all of them' }),
    )
    .addOption(
      whole('--horizon <days>', 'days that you will wait', {
        minimum: 1,
        maximum: 3650,
        default: USUAL_HORIZON_DAYS,
      }),
    )
    .option('--stretches', 'list the stretches it is judged on')
    .option('--all', 'show all notes')
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab verdict eth-2025',
    'dcalab verdict 46330614 --stretches --json',
  ]).action(async (target: string, options: VerdictOptions) => {
    const { judgeTarget } = await import('../describe-verdict.ts')
    return judgeTarget(context, target, options)
  })
}

export const examineCommand: Register = (program, context) => {
  const command = program
    .command('examine')
    .description('check and judge the best of a study on local candles')
    .argument('<study or id>', 'name of a study in the store, or the id of a configuration')
    .addOption(option('--market <market>', 'one market of a study with several', { otherwise: 'all of them' }))
    .option('--all', 'list every check with its numbers')
    .option('--costs', 'compute results again under other costs, free')
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab examine eth-2025',
    'dcalab examine eth-2025 --costs',
  ]).action(async (target: string, options: ExamineOptions) => {
    if (options.costs) {
      const { examineCosts } = await import('./examine/costs.ts')
      return examineCosts(context, target, options)
    }
    const { examineTarget } = await import('./examine/describe-examination.ts')
    return examineTarget(context, target, options)
  })
}
