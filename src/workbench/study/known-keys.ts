import { type Path, valueAt } from './path.ts'

/** The keys that a JSON Schema (as zod writes it) allows at a path, in any branch of a union. */
export function findKnownKeys(jsonSchema: unknown, path: Path): readonly string[] {
  let schemas: readonly unknown[] = withBranches(jsonSchema)
  for (const key of path) schemas = schemas.flatMap((schema) => findChildren(schema, String(key)).flatMap(withBranches))
  return [...new Set(schemas.flatMap(keysOf))]
}

function withBranches(schema: unknown): readonly unknown[] {
  const branches = valueAt(schema, ['anyOf'])
  return Array.isArray(branches) ? [schema, ...branches.flatMap(withBranches)] : [schema]
}

function findChildren(schema: unknown, key: string): readonly unknown[] {
  const child = valueAt(schema, ['properties', key]) ?? valueAt(schema, ['additionalProperties'])
  return typeof child === 'object' && child !== null ? [child] : []
}

/** Keys of a mapping, or the allowed names of its keys. */
function keysOf(schema: unknown): readonly string[] {
  const properties = valueAt(schema, ['properties'])
  const names = valueAt(schema, ['propertyNames', 'enum'])
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return Array.isArray(names) ? [...known, ...names.map(String)] : known
}
