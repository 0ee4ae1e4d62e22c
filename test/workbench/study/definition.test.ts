/** A study that is ranked is read from what the store keeps of it; that is the study which reading its file gives. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readStoredDefinition } from '../../../src/workbench/study/definition.ts'
import { parseStudy } from '../../../src/workbench/study/parse.ts'
import { projectRoot } from '../../support/dcalab.ts'

/** As the store keeps it. */
function kept(file: string) {
  const { source, ...definition } = parseStudy(readFileSync(join(projectRoot, 'studies', file), 'utf8'), { file })
  return { json: JSON.stringify(definition), definition }
}

it.each(['btc-may-2021.yaml', 'demo.yaml', 'screen-btc-may-2021.yaml'])(
  '%s is the same from the store as from its file',
  (file) => {
    const { json, definition } = kept(file)
    const { axes, objective, costs, conventions, interval } = definition
    expect(readStoredDefinition(json)).toEqual({
      ...{ axes, objective, costs, conventions, interval },
      ...{ markets: [], holdout: null }, // nothing is held out
    })
  },
)

it('a convention that an older program did not know had its default', () => {
  const { definition } = kept('demo.yaml')
  const { intrabar, ...older } = definition.conventions
  expect(readStoredDefinition(JSON.stringify({ ...definition, conventions: older }))?.conventions).toEqual(
    definition.conventions,
  )
})

it('what an older program kept another way is not guessed at', () => {
  const { definition } = kept('demo.yaml')
  const others = [
    null,
    'demo',
    {},
    { ...definition, objective: 'netProfit' },
    { ...definition, objective: { ...definition.objective, metric: 'luck' } },
    { ...definition, axes: { takeProfit: [1, 2] } },
    { ...definition, costs: { fee: 0.1 } },
  ]
  for (const other of others) expect(readStoredDefinition(JSON.stringify(other)), JSON.stringify(other)).toBeUndefined()
})
