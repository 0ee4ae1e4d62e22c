import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { API_KEY, BOT_PAYLOAD, type ScriptedService, SECRET_KEY } from '../workbench/api/world.ts'

export const config = {
  investment: 1000,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 3,
  dcaPriceScalePercent: 1,
  dcaPriceStepMultiplier: 1.2,
  dcaVolumeScale: 1.3,
  takeProfit: 1,
}
export const market = { exchange: 'synthetic', baseAsset: 'B', quoteAsset: 'USDT' }

export const parse = (text: string) => JSON.parse(text)

/** A market that has to be continued for two days only until the bot's present. */
export function twoDaysAgo(): string {
  return new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
}

/** Each file of tests has a folder of its own: this module outlives a file that is not isolated, its folders do not. */
export function botFiles() {
  const folder = temporaryFolder()
  return {
    folder,
    file(name: string, content: unknown): string {
      const path = join(folder, name)
      writeFileSync(path, JSON.stringify(content))
      return path
    },
    scripted(service: ScriptedService, more: Readonly<Record<string, string>> = {}): Program {
      return program(folder, {
        DCALAB_STORE: join(folder, 'scripted.sqlite'),
        DCALAB_BASE_URL: service.url,
        DCALAB_API_KEY: API_KEY,
        DCALAB_SECRET_KEY: SECRET_KEY,
        DCALAB_USER_EMAIL: BOT_PAYLOAD.userEmail,
        ...more,
      })
    },
  }
}
