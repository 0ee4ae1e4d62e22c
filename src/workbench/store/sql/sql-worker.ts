/**
 * The process that runs one statement for `dcalab sql`. SQLite computes without ever looking up, so only the end of its process
 * ends it: its parent kills it on Ctrl-C, and `ask.ts` sees to it that it does not outlive a parent that is killed itself.
 */
import { answerQuestion } from './answer-question.ts'

await answerQuestion()
