/** `dcalab sql --examples` and `--example NAME --show`: the cookbook, listed and printed. */
import { COOKBOOK, getExample, scriptOf } from '../../../workbench/store/cookbook/cookbook.ts'
import type { Context } from '../../context.ts'
import { printAnswer, printJson } from '../../output.ts'
import { printFittingTable } from '../../table.ts'

export async function listExamples({ system }: Context, json: boolean): Promise<void> {
  const { terminal } = system
  const rows = Object.entries(COOKBOOK).map(([name, query]) => ({ name, ...query }))
  if (json) return printJson(terminal, rows)
  return printFittingTable(
    terminal,
    rows,
    [
      { title: 'name', value: ({ name }) => name },
      { title: 'question', value: ({ title }) => title },
      {
        title: 'parameters',
        value: ({ parameters }) =>
          Object.entries(parameters)
            .map(([name, { usual }]) => (usual === null ? name : `${name}=${usual}`))
            .join(' '),
      },
    ],
    { remedy: '--json shows every column' },
  )
}

export async function showExample({ system }: Context, name: string, json: boolean): Promise<void> {
  const query = getExample(name)
  if (json) return printJson(system.terminal, { name, ...query })
  return printAnswer(system.terminal, [scriptOf(name, query).trimEnd()])
}
