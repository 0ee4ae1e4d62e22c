/**
 * `dcalab.yaml`: what a folder sets for everybody who works in it. It may come with a clone, so it may name files below it and how things are
 * printed, and nothing else: not where requests go, not how replies are read, no key, no command.
 */
import * as z from 'zod'
import { decodeDocument, expecting } from './problems.ts'
import { readSourceDocument } from './source-document.ts'

const MOST_CHARACTERS = 1_000

/** Below the folder by its words; that no link leads elsewhere is looked up where it is used. */
const below = z
  .string(expecting('a path below this folder'))
  .max(MOST_CHARACTERS)
  .refine(isBelow, {
    error: ({ input }) => `expected a path below this folder, without "..", found "${String(input)}"`,
  })

const schema = z.strictObject({
  store: below.optional(),
  candles: below.optional(),
  wide: z.boolean().optional(),
  quiet: z.boolean().optional(),
})

/** Paths are as the file writes them; what is absent is not set. */
export type FolderDefaults = z.infer<typeof schema>

const NOTES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['baseUrl', 'url', 'dialect', 'apiKey', 'secretKey', 'userEmail', 'onEnd', 'serviceStore'].map((name) => [
      name,
      'a folder does not say where requests go, how replies are read or what is run; set it in the environment or in .env',
    ]),
  ),
}

/** @throws Failure configInvalid with every problem and its place */
export function parseDefaults(text: string, { file }: { readonly file: string }): FolderDefaults {
  const document = readSourceDocument(text, file)
  return decodeDocument(document, {
    schema,
    words: { jsonSchema: () => z.toJSONSchema(schema, { io: 'input' }), keyNotes: NOTES },
    subject: `${file} cannot be used`,
    hint: 'it may set store and candles (paths below it), wide and quiet (true or false)',
    value: document.value ?? {}, // a file of comments sets nothing
  })
}

function isBelow(path: string): boolean {
  return path !== '' && !/^(?:[/\\~]|[a-z]:)/i.test(path) && !path.split(/[/\\]/).includes('..') && !path.includes('\0')
}
