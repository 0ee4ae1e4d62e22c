/**
 * `JSON.parse` takes the last of two equal keys, so another program could read a body with `isDemo` twice differently. A body
 * with a repeated key is refused.
 */
export type StrictJson = { readonly value: unknown } | { readonly problem: string }

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

export function parseStrictJson(text: string): StrictJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'the body is not JSON' }
  }
  const repeated = findRepeatedKey(text)
  return repeated === undefined
    ? { value }
    : { problem: `the key ${JSON.stringify(repeated)} stands twice in one object` }
}

/** Walks text that is known to be JSON; a string before a colon is a key of the innermost object. */
function findRepeatedKey(text: string): string | undefined {
  const objects: Set<string>[] = []
  let lastString = '""'
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') objects.push(new Set())
    else if (token === '}' || token === ']') objects.pop()
    else if (token === ':') {
      const key: string = JSON.parse(lastString) // the token before a colon in valid JSON is a string
      const keys = objects.at(-1)
      if (keys?.has(key)) return key
      keys?.add(key)
    } else if (token !== ',') lastString = token
  }
  return undefined
}
