/** Property tests draw the same cases at every run, so that a red run means a change; `SEED=<number>` draws others. */
import fc from 'fast-check'

const usualSeed = 20_261_120

fc.configureGlobal({ seed: process.env.SEED === undefined ? usualSeed : Number(process.env.SEED) })
