/** A thread that screens portions of a grid. Built to its own file, because Node 20 starts workers from JavaScript. */
import { serveCrew } from '../../workers/serve.ts'
import { answerScreen } from './answer-screen.ts'

serveCrew(answerScreen)
