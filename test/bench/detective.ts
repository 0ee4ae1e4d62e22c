/** `npm run bench:detective -- <seed>`: the seed is hex digits, such as the hash of a commit made after the code. */
import { print } from './measure.ts'
import { benchDetective } from './method/detective.ts'

const [seed = '1'] = process.argv.slice(2)
for (const line of await benchDetective(seed)) print(`${line}\n`)
