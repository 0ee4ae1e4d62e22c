/** A new warning, file by file, and what a half-done one meets. */
import { expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap, isFile } from './map.ts'
import { compileErrors } from './mutant.ts'

/** In this order. For one of a study, and one of a run. */
const FILES = [
  'src/workbench/analysis/warnings/warnings.ts', // its row: when, threshold, sentence, what to do
  'src/workbench/analysis/warnings/find-in-study.ts', // where it is found
  'test/workbench/analysis/warnings/find-in-study.test.ts', // when it is raised and when not
  'src/workbench/analysis/WARNINGS.md', // written by `vitest run … test/workbench/analysis/warnings -u`
]

it('a warning takes four files, all named by the map', () => {
  expect(FILES.filter((file) => !isFile(file))).toEqual([])
  const named = filesOnTheMap('a warning')
  expect(FILES.filter((file) => !named.some((name) => file.endsWith(name)))).toEqual([])
})

it.runIf(inTurn(isLong, import.meta.url))(
  'a warning that is raised and stands in no row does not compile',
  async () => {
    const errors = await compileErrors([
      {
        file: 'src/workbench/analysis/warnings/find-in-study.ts',
        find: "warning('noTrials', plan)",
        replace: "warning('noneAtAll', plan)",
      },
    ])
    expect(errors.join('\n')).toMatch(/find-in-study\.ts.*'"noneAtAll"'/)
  },
)

it.runIf(inTurn(isLong, import.meta.url))(
  'a warning without its numbers, or a row without what to do, does not compile',
  async () => {
    const errors = await compileErrors([
      {
        file: 'src/workbench/analysis/warnings/find-in-study.ts',
        find: "warning('periodTooShort', { metrics, days })",
        replace: "warning('periodTooShort', { metrics })",
      },
      {
        file: 'src/workbench/analysis/warnings/warnings.ts',
        find: "    hint: 'see who else uses the key',\n",
        replace: '',
      },
    ])
    expect(errors.join('\n')).toMatch(/find-in-study\.ts.*'days'/s)
    expect(errors.join('\n')).toMatch(/warnings\.ts.*'hint'/s)
  },
)
