import { it } from 'vitest'
import { restartMany } from './restarts.ts'

it('1,000 restarts under full load, before every kind of service, exceed no minute', () => restartMany(1_000))
