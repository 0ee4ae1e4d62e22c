/** `dcalab study init`: writes a starter or a shipped example to studies/, with the JSON Schema that its first line names. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import packageJson from '../../../../package.json' with { type: 'json' }
import { Failure } from '../../../errors.ts'
import { type CommonOptions, type Context, withExamples, withJson } from '../../context.ts'
import { printJson, printLines, say } from '../../output.ts'

interface InitOptions extends CommonOptions {
  readonly example?: string
}

/** The package lists its examples one by one, because a user's own studies may be in the same folder. */
export const EXAMPLES = packageJson.files
  .map((path) => /^studies\/(.+)\.yaml$/.exec(path)?.[1])
  .filter((name) => name !== undefined)

const SCHEMA_PATH = 'studies/study.schema.json'

export function addInit(study: Command, context: Context): void {
  const command = study
    .command('init')
    .description('writes a commented starter study, or a shipped example, to studies/<name>.yaml')
    .argument('[name]', 'a-z, 0-9 and dashes; an example keeps its own name unless one is given')
    .option('--example <name>', `begin with an example: ${EXAMPLES.join(', ')}`)
  withExamples(withJson(command), [
    'dcalab study init my-ladder',
    'dcalab study init my-crash --example btc-may-2021',
  ]).action((name: string | undefined, options: InitOptions) => initStudy(context, name, options))
}

async function initStudy(context: Context, given: string | undefined, options: InitOptions): Promise<void> {
  const [{ starterStudy }, { isStudyName }, { studyJsonSchema }] = await Promise.all([
    import('../../../workbench/study/starter.ts'),
    import('../../../workbench/study/parse.ts'),
    import('../../../workbench/study/schema.ts'),
  ])
  const name = given ?? options.example
  if (name === undefined) {
    throw new Failure('usage', 'study init needs a name for the new study', {
      hint: `for instance \`dcalab study init my-ladder\`; or give --example with one of ${EXAMPLES.join(', ')}`,
    })
  }
  if (!isStudyName(name)) {
    throw new Failure('usage', `a study's name is a-z, 0-9 and dashes, at most 64 of them; found "${name}"`)
  }
  const text = options.example === undefined ? starterStudy(name) : readExample(context, options.example, name)
  const path = `studies/${name}.yaml`
  writeNew(path, text)
  const { terminal } = context.system
  if (!hasSchema(studyJsonSchema())) {
    say(terminal, `${SCHEMA_PATH} is another version's; \`dcalab study schema > ${SCHEMA_PATH}\` renews it`)
  }
  if (options.json) return printJson(terminal, { path, schema: SCHEMA_PATH })
  const isStudy = /^name:/m.test(text)
  return printLines(terminal, [path, `next: dcalab ${isStudy ? 'study check' : 'backtest'} ${path}`])
}

/** An example under another name: `name:` is changed, everything else stays. */
function readExample(context: Context, example: string, name: string): string {
  if (!EXAMPLES.includes(example)) {
    throw new Failure('usage', `--example: there is no example "${example}"`, {
      hint: `there are ${EXAMPLES.join(', ')}`,
    })
  }
  const text = readFileSync(new URL(`${example}.yaml`, context.studiesFolder), 'utf8')
  return text.replace(/^name: .*$/m, `name: ${name}`)
}

function writeNew(path: string, text: string): void {
  try {
    mkdirSync('studies', { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (cause) {
    const exists = isExisting(cause)
    const reason = exists ? 'it exists already' : cause instanceof Error ? cause.message : String(cause)
    throw new Failure('usage', `cannot write ${path}: ${reason}`, { cause, hint: 'choose another name or folder' })
  }
}

/** Writes the schema when there is none. @returns false when another schema is there, which is not changed */
function hasSchema(schema: unknown): boolean {
  try {
    writeFileSync(SCHEMA_PATH, `${JSON.stringify(schema, null, 2)}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (!isExisting(error)) throw error
    return withoutSpaces(readFileSync(SCHEMA_PATH, 'utf8')) === withoutSpaces(JSON.stringify(schema))
  }
}

/** Compares without spaces, because editors and formatters change line breaks. */
function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '')
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
