/** `dcalab sql --examples` and `--example NAME --show`: the cookbook, listed and printed. */
import { COOKBOOK, getExample, scriptOf } from '../../../workbench/store/cookbook/cookbook.ts'
import type { CookbookQuery } from '../../../workbench/store/cookbook/queries.ts'
import type { Context } from '../../context.ts'
import { writeRows } from '../../formats.ts'
import type { Format } from '../../option.ts'
import { printAnswer, printJson, verbatim } from '../../output.ts'
import { fittingTable } from '../../table.ts'

export async function listExamples({ system }: Context, format: Format): Promise<void> {
  const { terminal } = system
  const rows = Object.entries(COOKBOOK).map(([name, query]) => ({ name, ...query }))
  if (format === 'json') return printJson(terminal, rows)
  if (format !== 'table') {
    const shown = rows.map(({ name, title, parameters }) => ({
      name,
      question: title,
      parameters: describeParameters(parameters),
    }))
    return writeRows(terminal, format, shown)
  }
  return printAnswer(
    terminal,
    fittingTable(rows, [
      { title: 'name', value: ({ name }) => name },
      { title: 'question', value: ({ title }) => title },
      { title: 'parameters', value: ({ parameters }) => describeParameters(parameters) },
    ]),
  )
}

function describeParameters(parameters: CookbookQuery['parameters']): string {
  return Object.entries(parameters)
    .map(([name, { usual }]) => (usual === null ? name : `${name}=${usual}`))
    .join(' ')
}

export async function showExample({ system }: Context, name: string, json: boolean): Promise<void> {
  const query = getExample(name)
  if (json) return printJson(system.terminal, { name, ...query })
  return printAnswer(system.terminal, verbatim(scriptOf(name, query).trimEnd()))
}
