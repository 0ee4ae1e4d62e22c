/** A crew in this thread: the same answers as real workers give, in an order that dice decide. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { answerScreen } from '../../../src/workbench/screen/answer-screen.ts'
import type { ScreenRequest, ScreenSetting, ScreenWorkers } from '../../../src/workbench/screen/messages.ts'
import type { Dice } from '../../engine/jump/cases.ts'

export interface LocalCrew extends ScreenWorkers {
  /** What was asked, in that order. */
  readonly asked: readonly ScreenRequest[]
}

export function localCrew(setting: ScreenSetting, { size, dice }: { size: number; dice: Dice }): LocalCrew {
  const answer = answerScreen(setting)
  const asked: ScreenRequest[] = []
  return {
    size,
    asked,
    async ask(request) {
      asked.push(structuredClone(request))
      const reply = structuredClone(answer(request))
      for (let turns = dice.whole(0, 3); turns > 0; turns--) await nextTurn()
      return reply
    },
    close: async () => {},
  }
}
