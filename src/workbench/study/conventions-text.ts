/** Reads conventions alone: the content of `conventions:` in a study, as the text of a flag or of a file. */
import * as z from 'zod'
import { CONVENTION_PRESETS, type Conventions, PRESET_NAMES } from '../../engine/conventions.ts'
import { decodeDocument, type SchemaWords } from './problems.ts'
import { conventionsSchema } from './schema.ts'
import { readSourceDocument } from './source-document.ts'

const WORDS: SchemaWords = {
  whole: 'conventions',
  jsonSchema: () => z.toJSONSchema(conventionsSchema, { io: 'input', target: 'draft-7' }),
  keyNotes: {
    conventions: 'unknown key here; leave it out and give its value: a preset or { preset, …overrides }',
    '<<': 'merge keys are not supported; write the values out',
  },
}

/**
 * A preset's name or `{ preset, …overrides }`, as YAML or JSON. `place` is the file or flag named in problems, `subject` begins
 * the message.
 * @throws Failure configInvalid with every problem as `place:line:column`, what was found and what was expected
 */
export function parseConventions(
  text: string,
  { place, subject, hint }: { readonly place: string; readonly subject: string; readonly hint?: string },
): Conventions {
  return decodeDocument(readSourceDocument(text, place), {
    schema: conventionsSchema,
    words: WORDS,
    subject,
    hint,
  })
}

// Conventions as a study file says them.

/** A preset and what differs from it. The preset is the one with the fewest differences, of equals the first. */
export function spellConventions(conventions: Conventions): Readonly<Record<string, string | number>> {
  const spelt = PRESET_NAMES.map((preset) => {
    const usual: Readonly<Record<string, unknown>> = CONVENTION_PRESETS[preset]
    const differing = Object.entries(conventions).flatMap(([name, value]) =>
      value === null || value === usual[name] ? [] : [[name, value] as const],
    )
    return { preset, ...Object.fromEntries(differing) }
  })
  return spelt.reduce((one, other) => (Object.keys(other).length < Object.keys(one).length ? other : one))
}
