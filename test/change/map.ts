/** What the map's table "To change X, start at Y" says of one kind of change. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/dcalab.ts'

const map = readFileSync(join(projectRoot, 'src/ARCHITECTURE.md'), 'utf8')

/** The files that the row names, in its order, from the project's root; those of `src/` are written there without it. */
export function filesOnTheMap(change: string): readonly string[] {
  const row = map.split('\n').find((line) => line.startsWith(`| ${change} |`))
  if (row === undefined) throw new Error(`the map has no row for ${change}`)
  const named = [...row.matchAll(/`([\w./<>-]+\.(?:ts|json|md))`/g)].map(([, name]) => name)
  return named.map((name) => (existsSync(join(projectRoot, 'src', name)) ? `src/${name}` : name))
}

export function isFile(name: string): boolean {
  return existsSync(join(projectRoot, name))
}
