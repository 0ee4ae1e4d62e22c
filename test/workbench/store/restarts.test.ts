import { it } from 'vitest'
import { restartMany } from './restarts.ts'

it('60 restarts under full load, before a service that slides and one of fixed minutes, exceed no minute', () =>
  restartMany(60, ['sliding', 'fixed']))
