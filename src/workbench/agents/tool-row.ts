/** What a tool is: the schema of its arguments and the command line that they become. `tools.ts` has the rows. */
import { z } from 'zod'
import type { CommandLine } from './asked.ts'
import type { OwnTexts } from './untrusted.ts'

export interface AgentTool {
  readonly title: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly inputSchema: ArgumentSchema
  /** Sends requests to a service, whose words may then stand in what is said. */
  readonly meetsService: boolean
  /** Spends units of the allowance. */
  readonly spends: boolean
  readonly ownTexts: OwnTexts
  /** The command line for these arguments, or what is wrong with them. */
  readonly read: (given: unknown) => CommandLine | { readonly problems: readonly string[] }
}

type ArgumentSchema = { readonly type: 'object'; readonly properties: Readonly<Record<string, object>> }

interface ToolRow<Input extends z.ZodObject> {
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly words: (given: z.output<Input>) => readonly string[]
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
  const { title, description, input, meetsService = false, spends = false, ownTexts = 'known fields' } = row
  const { type, properties = {}, ...rest } = z.toJSONSchema(input, { io: 'input' })
  if (type !== 'object') throw new Error(`the arguments of ${title} are no object`)
  return {
    title,
    description,
    inputSchema: { ...rest, type, properties: Object.fromEntries(Object.entries(properties).map(asSchema)) },
    meetsService,
    spends,
    ownTexts,
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
      const { seconds } = parsed.data
      return {
        words: row.words(parsed.data),
        texts: new Map(texts),
        seconds: typeof seconds === 'number' ? seconds : usualSeconds,
      }
    },
  }
}

/** In JSON Schema a property may also be `true` or `false`. */
function asSchema([name, schema]: [string, unknown]): [string, object] {
  return [name, typeof schema === 'object' && schema !== null ? schema : {}]
}
