/** `dcalab study …`: checks a study file, starts a new one, prints the JSON Schema; what is stored of studies is in `stored.ts`. */
import type { Command } from 'commander'
import { type Context, type Register, withExamples, withJson } from '../../context.ts'
import { printJson } from '../../output.ts'
import { addCheck } from './check.ts'
import { addInit } from './init.ts'
import { addRefine } from './refine.ts'
import { addStored } from './stored.ts'

export const studyCommand: Register = (program, context) => {
  const study = program.command('study').description('start, check, refine, list and rename studies')
  withExamples(study, ['dcalab study init my-ladder', 'dcalab study check studies/btc-may-2021.yaml'])
  addCheck(study, context)
  addInit(study, context)
  addSchema(study, context)
  addRefine(study, context)
  addStored(study, context)
}

function addSchema(study: Command, context: Context): void {
  const command = study
    .command('schema', { hidden: true })
    .description('print the JSON Schema of study files, for editors')
  withExamples(withJson(command), [
    'dcalab study schema > studies/study.schema.json',
    'dcalab study schema --json',
  ]).action(async () => {
    const { studyJsonSchema } = await import('../../../workbench/study/schema.ts')
    return printJson(context.system.terminal, studyJsonSchema())
  })
}
