/** A thread that screens portions of a grid. Built to a file of its own, because Node starts a worker from a JavaScript file. */
import { serveCrew } from '../../workers/serve.ts'
import { answerScreen } from './answer-screen.ts'

serveCrew(answerScreen)
