/**
 * The size of the house, which may only shrink: files, lines of code and exports of every room, commands, options and views, and the
 * small files with one importer. `BUDGET=write npx vitest run --config test/vitest.config.ts test/budget.test.ts` writes what has shrunk;
 * what has grown is written by hand, as a line of `raises` that names the user who gains.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { VIEWS } from '../src/workbench/store/views.ts'
import { importsOf, src, withoutComments } from './imports.ts'
import { commandsBelow, commandTree } from './support/command-tree.ts'

interface Size {
  readonly files: number
  /** Blank lines and comments are not counted. */
  readonly lines: number
  readonly exports: number
}

interface Raise extends Partial<Size> {
  /** A room, or what of the surface. */
  readonly room: string
  /** Of the surface. */
  readonly count?: number
  /** Which user has what for it. */
  readonly gains: string
}

interface Budget {
  readonly rooms: Readonly<Record<string, Size>>
  readonly surface: Readonly<Record<string, number>>
  readonly raises: readonly Raise[]
}

/** A file of fewer lines that one file alone imports is a crumb: what it has belongs into that file. */
const CRUMB_LINES = 60

const budgetFile = join(import.meta.dirname, 'budget.json')
const crumbsFile = join(import.meta.dirname, 'crumbs.json')

/** By the file in src: why it is one of its own. */
type Reasons = Readonly<Record<string, string>>
const writes = process.env.BUDGET === 'write'

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'))
  .sort()
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]))

/** 'workbench/run', 'cli', '.' for the files beside the rooms. */
function roomOf(file: string): string {
  const [top, ...rest] = file.split('/')
  if (rest.length === 0) return '.'
  return top === 'workbench' ? `${top}/${rest[0]}` : top
}

function measure(ofRoom: readonly string[]): Size {
  const codes = ofRoom.map((file) => withoutComments(texts.get(file) ?? ''))
  const count = (pattern: RegExp) => codes.reduce((sum, code) => sum + (code.match(pattern)?.length ?? 0), 0)
  return { files: ofRoom.length, lines: count(/^.*\S.*$/gm), exports: count(/^export\b/gm) }
}

const rooms = Object.fromEntries(
  [...Map.groupBy(files, roomOf)].map(([room, ofRoom]) => [room, measure(ofRoom)] as const).sort(),
)

const commands = commandsBelow(commandTree())
const surface = {
  commands: commands.filter(({ command }) => command.commands.length === 0).length,
  options: new Set(commands.flatMap(({ command }) => command.options.map(({ long, flags }) => long ?? flags))).size,
  views: Object.keys(VIEWS).length,
}

const crumbs = findCrumbs()

function findCrumbs(): string[] {
  const imports = files.flatMap((file) => importsOf(join(src, file)))
  const importers = Map.groupBy(imports, ({ targetFile }) => targetFile)
  return files.filter((file) => {
    const of = new Set(importers.get(file)?.map((one) => one.file))
    const lines = (texts.get(file) ?? '').trimEnd().split('\n').length
    return lines < CRUMB_LINES && of.size === 1 && !isExempt(file)
  })
}

/** Workers, files that are loaded when they are needed, and migrations are files of their own for that. */
function isExempt(file: string): boolean {
  const name = file.split('/').at(-1) ?? file
  return (
    name.endsWith('-worker.ts') ||
    file.includes('/store/schema/') ||
    [...texts.values()].some((text) => text.includes(`import('./${name}')`))
  )
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) // as this test writes it
}

function write(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}

const least = (was: number | undefined, is: number) => (was === undefined ? is : Math.min(was, is))

if (writes) {
  const { rooms: before, surface: surfaceBefore, raises } = readJson<Budget>(budgetFile)
  const allowance = (room: string, what: keyof Size) =>
    raises.filter((raise) => raise.room === room).reduce((sum, raise) => sum + (raise[what] ?? 0), 0)
  const shrink = (room: string, what: keyof Size) =>
    least(before[room]?.[what], rooms[room][what] - Math.min(allowance(room, what), rooms[room][what]))
  write(budgetFile, {
    rooms: Object.fromEntries(
      Object.keys(rooms).map((room) => [
        room,
        { files: shrink(room, 'files'), lines: shrink(room, 'lines'), exports: shrink(room, 'exports') },
      ]),
    ),
    surface: Object.fromEntries(Object.entries(surface).map(([what, is]) => [what, least(surfaceBefore[what], is)])),
    raises,
  })
  const listed = Object.entries(readJson<Reasons>(crumbsFile))
  write(crumbsFile, Object.fromEntries(listed.filter(([file]) => crumbs.includes(file))))
}

const budget = readJson<Budget>(budgetFile)
const reasons = readJson<Reasons>(crumbsFile)
const knownCrumbs = Object.keys(reasons)

it('no room has grown without a line that says who gains', () => {
  const over = Object.entries(rooms).flatMap(([room, size]) =>
    (['files', 'lines', 'exports'] as const).flatMap((what) => {
      const raised = budget.raises.filter((raise) => raise.room === room)
      const allowed = raised.reduce((sum, raise) => sum + (raise[what] ?? 0), budget.rooms[room]?.[what] ?? 0)
      return size[what] > allowed ? [`${room}: ${size[what]} ${what}, allowed ${allowed}`] : []
    }),
  )
  expect(over).toEqual([])
  expect(budget.raises.filter(({ gains }) => gains.trim().length < 10)).toEqual([])
})

it('the budget names no room that is gone', () => {
  const named = [...Object.keys(budget.rooms), ...budget.raises.map(({ room }) => room)]
  expect(named.filter((room) => !(room in rooms) && !(room in surface))).toEqual([])
})

it('there are no more commands, options and views than before', () => {
  const raised = (what: string) =>
    budget.raises.filter(({ room }) => room === what).reduce((sum, { count = 0 }) => sum + count, 0)
  const over = Object.entries(surface).filter(([what, is]) => is > (budget.surface[what] ?? 0) + raised(what))
  expect(over).toEqual([])
})

it('what has shrunk stays so: the recorded figures are no larger than a room needs', () => {
  const loose = Object.entries(rooms).flatMap(([room, { lines }]) => {
    const raises = budget.raises.filter((raise) => raise.room === room)
    const recorded = raises.reduce((sum, raise) => sum + (raise.lines ?? 0), budget.rooms[room]?.lines ?? 0)
    return recorded - lines > Math.max(100, recorded / 20) ? [`${room}: ${lines} lines, recorded ${recorded}`] : []
  })
  expect(loose, 'run this test with BUDGET=write').toEqual([])
})

it('a small file with one importer is listed with its reason, and the list only shrinks', () => {
  expect(crumbs.filter((file) => !knownCrumbs.includes(file))).toEqual([])
  expect(
    knownCrumbs.filter((file) => !crumbs.includes(file)),
    'no crumbs any more: run this test with BUDGET=write',
  ).toEqual([])
  expect(knownCrumbs.filter((file) => reasons[file].trim().length < 10)).toEqual([])
})
