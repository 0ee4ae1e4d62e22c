/** A thread that screens chunks of a grid. Built to a file of its own, because Node starts a worker from a JavaScript file. */
import { serveWorkerGroup } from '../../workers/worker-group.ts'
import { answerScreen } from './answer-screen.ts'

serveWorkerGroup(answerScreen)
