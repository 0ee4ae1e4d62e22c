/** What a tool is: the schemas of its arguments and its answer, the command line that they become, and what of that command's JSON an agent gets. */
import { z } from 'zod'
import type { CommandLine } from './asked.ts'
import type { OwnTexts } from './untrusted.ts'

export interface AgentTool {
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly inputSchema: ObjectSchema
  /** JSON Schema of its answer. */
  readonly outputSchema: ObjectSchema
  /** Sends requests to a service, whose words may then stand in what is said. */
  readonly meetsService: boolean
  /** Spends units of the allowance. */
  readonly spends: boolean
  readonly ownTexts: OwnTexts
  /** What these arguments ask for, or what is wrong with them. */
  readonly read: (given: unknown) => AskedTool | { readonly problems: readonly string[] }
}

export interface AskedTool {
  /** null = it is answered without a command. */
  readonly line: CommandLine | null
  /** The answer, whole, from the JSON of the command. */
  readonly answer: (json: unknown) => object
  readonly isFull: boolean
  /** The first row that is wanted, and how many are. */
  readonly from: number
  readonly count: number
}

type ObjectSchema = { readonly type: 'object'; readonly properties: Readonly<Record<string, object>> }

interface ToolRow<Input extends z.ZodObject> {
  /** Three sentences: what, when, what it returns. */
  readonly description: string
  readonly input: Input
  readonly output: z.ZodObject
  /** What an agent gets of the JSON of the command. */
  readonly answer: (json: unknown, given: z.output<Input>) => object
  /** Absent = there is no command. */
  readonly words?: (given: z.output<Input>) => readonly string[]
  readonly texts?: (given: z.output<Input>) => Readonly<Record<string, string | undefined>>
  /** What is wrong beyond single fields. */
  readonly wrong?: (given: z.output<Input>) => string | undefined
  readonly meetsService?: boolean
  readonly spends?: boolean
  readonly ownTexts?: OwnTexts
}

/** Where no argument says otherwise: as long as clients usually wait, less a little. */
export const usualSeconds = 45

/** A tool from its row. */
export function tool<Input extends z.ZodObject>(row: ToolRow<Input>): AgentTool {
  const { description, input, meetsService = false, spends = false, ownTexts = 'known fields' } = row
  return {
    ...{ description, meetsService, spends, ownTexts },
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(row.output, 'output'),
    read(given) {
      const parsed = input.safeParse(given ?? {})
      if (!parsed.success)
        return {
          problems: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`),
        }
      const wrong = row.wrong?.(parsed.data)
      if (wrong !== undefined) return { problems: [wrong] }
      const texts = Object.entries(row.texts?.(parsed.data) ?? {}).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, text] as const],
      )
      const { seconds, detail, from, count } = parsed.data
      const words = row.words?.(parsed.data)
      return {
        line:
          words === undefined
            ? null
            : { words, texts: new Map(texts), seconds: typeof seconds === 'number' ? seconds : usualSeconds },
        answer: (json) => row.answer(json, parsed.data),
        isFull: detail === 'full',
        from: typeof from === 'number' ? from : 1,
        count: typeof count === 'number' ? count : Number.POSITIVE_INFINITY,
      }
    },
  }
}

function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { $schema, type, properties = {}, ...rest } = z.toJSONSchema(schema, { io })
  if (type !== 'object') throw new Error('the schema of a tool is no object')
  return { ...rest, type, properties: Object.fromEntries(Object.entries(properties).map(asSchema)) }
}

/** In JSON Schema a property may also be `true` or `false`. */
function asSchema([name, schema]: [string, unknown]): [string, object] {
  return [name, typeof schema === 'object' && schema !== null ? schema : {}]
}
