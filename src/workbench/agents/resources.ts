/** What an agent may read to understand the answers, and the prompts that a person starts it with. */
import { ASSUMPTIONS } from '../../contract/assumptions.ts'
import { METRICS } from '../../contract/metrics.ts'
import { studyJsonSchema } from '../study/schema.ts'

export interface AgentResource {
  readonly title: string
  readonly description: string
  readonly read: () => unknown
}

export const RESOURCES: Readonly<Record<string, AgentResource>> = {
  'dcalab://metrics': {
    title: 'Metrics',
    description: 'Every metric: its unit, which way is better, how it is defined, when it is null.',
    read: () => METRICS,
  },
  'dcalab://assumptions': {
    title: 'Assumptions',
    description: 'What the API document leaves open, and our numbered answer to each.',
    read: () => ASSUMPTIONS,
  },
  'dcalab://study-schema': {
    title: 'Schema of study files',
    description: 'The JSON Schema of what check_study, screen_study and run_study take as text.',
    read: studyJsonSchema,
  },
}

export interface AgentPrompt {
  readonly title: string
  readonly description: string
  /** The one that it takes. */
  readonly argument: { readonly name: string; readonly description: string }
  readonly text: (value: string) => string
}

const HONESTLY =
  'Quote the headline and sentence of the verdict as they are, and say how many configurations were tried. Recommend nothing that the verdict does not say.'

export const PROMPTS: Readonly<Record<string, AgentPrompt>> = {
  find_a_bot: {
    title: 'Find a bot',
    description: 'From stored candles to a judged configuration of a DCA bot.',
    argument: { name: 'market', description: 'exchange/BASE-QUOTE' },
    text: (market) =>
      `Find a DCA bot for ${market}. See list_candles for the history that is stored, and list_studies for what was tried. Write a study with validate: { holdout: 20% }, and correct it until check_study has no problem. Narrow its grid with screen_study. If you have run_study, run it within the budget (limits); else ask me to run it. Then read leaderboard and verdict. ${HONESTLY}`,
  },
  judge_study: {
    title: 'Judge a study',
    description: 'Whether to believe the best of a stored study, and why.',
    argument: { name: 'study', description: 'name of a stored study' },
    text: (study) =>
      `Should I believe the best of the study ${study}? Read leaderboard, then verdict with target ${study}, and compare_configurations for the first three. Say in plain words what the reasons mean, what to expect, and what is unknown. ${HONESTLY}`,
  },
  explain_bot_difference: {
    title: 'Explain a bot’s difference',
    description: 'Why a demo bot earned other than its backtest.',
    argument: { name: 'bot', description: 'id or name of a demo bot' },
    text: (bot) =>
      `Why did the demo bot ${bot} earn other than its backtest? Ask query_sql for its row of the view bots with is_latest = 1: sentence, gap and its parts (gap_price, gap_fee, gap_timing, gap_convention, gap_candles, gap_unexplained), and the deals that match, are missing or extra. If it was never compared, ask me to compare it. Name the largest part first, and say what is unexplained.`,
  },
}
