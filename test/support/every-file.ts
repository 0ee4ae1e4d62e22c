/**
 * Before and after every file of tests. Properties draw the same cases at every run, so that a red run means a change; `SEED=<number>`
 * draws others. Folders that the file made are removed.
 */
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { removeFolders } from './folder.ts'

const usualSeed = 20_261_120

fc.configureGlobal({ seed: process.env.SEED === undefined ? usualSeed : Number(process.env.SEED) })

afterAll(removeFolders)
