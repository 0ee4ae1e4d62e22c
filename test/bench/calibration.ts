/** `npm run bench:calibration -- <seed>`: the seed is hex digits, such as the hash of a commit made after the code. */
import { print, table } from './measure.ts'
import { HIDDEN_SETS, measureDetective } from './method/detective.ts'
import { detectiveTable } from './method/detective-table.ts'

const [seed = '1'] = process.argv.slice(2)
const measuredOn = new Date().toISOString().slice(0, 10)
const { title, head, lines } = detectiveTable(await measureDetective(seed, { measuredOn, hidden: HIDDEN_SETS }))
print(`${measuredOn}, seed ${seed.slice(0, 8)}\n`)
table(title, head, lines)
