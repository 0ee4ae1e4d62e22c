/**
 * `npm run exercise -- <url> [--write] [--market exchange/BASE-QUOTE] [--from day] [--to day]`: asks a service every question that can be asked
 * without changing anything, and with --write those that create, start, stop and delete a demo bot and a job. Keys come from DCALAB_API_KEY and
 * DCALAB_SECRET_KEY. Ends with 1 when an answer differs from the document.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findMarket } from '../../src/contract/market.ts'
import { exerciseService } from './exercise.ts'

/** Stays below 120 a minute. */
const paceMs = 550

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    market: { type: 'string', default: 'binance/BTC-USDT' },
    from: { type: 'string', default: '2024-01-01' },
    to: { type: 'string', default: '2024-01-02' },
  },
})
const {
  DCALAB_API_KEY: apiKey = '',
  DCALAB_SECRET_KEY: secretKey = '',
  DCALAB_USER_EMAIL: userEmail = '',
} = process.env
const [url = process.env.DCALAB_BASE_URL] = positionals
const market = findMarket(values.market)
if (url === undefined || market === undefined || apiKey === '' || secretKey === '') {
  process.stderr.write(
    'usage: DCALAB_API_KEY=… DCALAB_SECRET_KEY=… npm run exercise -- <url> [--write] [--market exchange/BASE-QUOTE]\n',
  )
  process.exit(2)
}

const { write, from, to } = values
const findings = await exerciseService(
  url.replace(/\/$/, ''),
  { all: { apiKey, secretKey } },
  { readOnly: !write, pace: () => delay(paceMs), userEmail, ...market, from, to },
)
for (const { holds, basis, endpoint, question, expected, found } of findings) {
  if (!holds) console.log(`differs  ${basis}  ${endpoint} ${question}: expected ${expected}, found ${found}`)
}
const differing = findings.filter(({ holds }) => !holds)
console.log(`${findings.length} questions, ${differing.length} answered otherwise`)
process.exitCode = differing.some(({ basis }) => basis === 'document') ? 1 : 0
