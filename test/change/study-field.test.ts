/** What it takes to add a field to a study, and what stops a half-done one. */
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap, isFile } from './map.ts'
import { compileErrors, type Edit, inCopyWith, runTest } from './mutant.ts'

const FILES = [
  'src/workbench/study/schema.ts', // what the file may say
  'src/workbench/study/study.ts', // its form in the program
  'src/workbench/study/fields.ts', // its row: how it is read, what of it is hashed, who uses it
  'test/workbench/study/fields.test.ts', // another value of it, which is another study
]

const schema: Edit = {
  file: 'src/workbench/study/schema.ts',
  find: '      search: searchSchema.optional(),\n',
  replace: '      search: searchSchema.optional(),\n      note: z.string().optional(),\n',
}
const type: Edit = {
  file: 'src/workbench/study/study.ts',
  find: '  readonly search: PlanOf\n',
  replace: '  readonly search: PlanOf\n  readonly note: string | null\n',
}
const tieBreak: Edit = {
  file: 'src/workbench/study/study.ts',
  find: "  readonly direction: 'maximize' | 'minimize'\n",
  replace: "  readonly direction: 'maximize' | 'minimize'\n  readonly tieBreak?: string\n",
}
const row = (consumers: string): Edit => ({
  file: 'src/workbench/study/fields.ts',
  find: '  objective: { key:',
  replace: `  note: { key: 'note', read: ({ note }) => note ?? null, hashed: (note) => note ?? undefined, consumers: ${consumers} },\n  objective: { key:`,
})

describe('a new field of a study', () => {
  it('takes these files, as the map says', () => {
    expect(filesOnTheMap('what a study may say')).toEqual(FILES)
    expect(FILES.length).toBeLessThanOrEqual(4)
    expect(FILES.filter((file) => !isFile(file))).toEqual([])
  })

  it.runIf(inTurn(isLong, import.meta.url))(
    'without a row does not compile, nor does a part of the objective that is not hashed: no two questions share a name',
    async () => {
      const errors = (await compileErrors([schema, type, tieBreak])).join('\n')
      expect(errors).toMatch(/fields\.ts.*'note' is missing/)
      expect(errors).toContain('fields.ts')
    },
  )

  it.runIf(inTurn(isLong, import.meta.url))(
    'that is read and not hashed is missed by name: two search methods once had one fingerprint',
    async () => {
      const unhashed: Edit = {
        file: 'src/workbench/study/fields.ts',
        find: 'hashed: hashedSearch',
        replace: 'hashed: () => undefined',
      }
      const { code, stdout } = await inCopyWith([unhashed], (folder) =>
        runTest(folder, 'test/workbench/study/fields.test.ts', 'search'),
      )
      expect(code).not.toBe(0)
      expect(stdout).toContain('is another one for every other value of search')
    },
  )

  it.runIf(inTurn(isLong, import.meta.url))(
    'of which one consumer does not say whether it uses it does not compile',
    async () => {
      const errors = await compileErrors([
        schema,
        type,
        row('{ check: true, run: true, screen: true, leaderboard: true, report: true }'),
      ])
      expect(errors.join('\n')).toMatch(/fields\.ts.*'promote' is missing/)
    },
  )

  it.runIf(inTurn(isLong, import.meta.url))(
    'that a consumer looks at although it says it ignores it does not compile',
    async () => {
      const errors = await compileErrors([
        schema,
        type,
        row("{ ...ALL_USE, promote: 'a trial has no note' }"),
        {
          file: 'src/workbench/bots/promote/choose-trial.ts',
          find: 'objective: parsed.objective }',
          replace: 'objective: (void parsed.note, parsed.objective) }',
        },
      ])
      expect(errors).toHaveLength(1)
      expect(errors[0]).toMatch(/promote\/choose-trial\.ts.*'note' does not exist/)
    },
  )
})
