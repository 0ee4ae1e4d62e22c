/**
 * Twenty questions of an analyst, written down before the views that answer them: each takes at most twelve lines of SQL over one view or two, and is
 * answered alike by `dcalab sql` and by the `sqlite3` of a stable Linux. Their sums are checked against the store's own rows.
 */
import { describe, it } from 'vitest'

const QUESTIONS = [
  'Which configuration of each study is first by its own objective, on which service, market and period?',
  'What did each take profit earn on average, and how many results stand behind that?',
  'Do take profit and number of safety orders depend on each other?',
  'What did the first of each study earn in months in which the market rose, fell, or stood still?',
  'In how many months did each configuration end among the better half?',
  'How much do the daily returns of the two best move together?',
  'What are beta and alpha of the best results against the market?',
  'Which part of the profit before fees went to fees, and how many results would twice the fee turn into losses?',
  'By which cause do demo bots differ from their backtests, in quote?',
  'How many days was each configuration below its highest equity, and how deep?',
  'What did an edit of a study change in its best and average profit?',
  'Which configurations made a profit on every market they were tried on?',
  'How far do two services lie apart on the same trial?',
  'Which deals lost most, and how many safety orders had they used?',
  'At which hours are the deals opened that take longest?',
  'How many backtests were sent each day to each service, and how many came to nothing?',
  'How much of the daily limit of each service is used now?',
  'Which trials failed, and why?',
  'How much of the profit of each winner came in its best month?',
  'What do the neighbours of each winner earn, one step up and one step down?',
] as const

describe('twenty questions', () => {
  it.todo.each(QUESTIONS)('%s')
})
