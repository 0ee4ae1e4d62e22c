/** Loaded before the program: its clock runs `CLOCK_SPEED` times as fast from `CLOCK_FROM` (ms) on, alike in every process that is told the same. */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import process from 'node:process'
import timers from 'node:timers/promises'

const speed = Number(process.env.CLOCK_SPEED)
const from = Number(process.env.CLOCK_FROM)
const { now } = Date
const { uptime } = os
const { setTimeout: delay } = timers

Date.now = () => Math.round(from + (now() - from) * speed)
os.uptime = () => uptime() * speed
timers.setTimeout = (ms, ...rest) => delay(ms / speed, ...rest)
syncBuiltinESMExports()
