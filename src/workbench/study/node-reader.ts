/**
 * YAML nodes → plain values. Aliases, anchors, tags and merge keys are refused: with them a kilobyte can expand to a gigabyte,
 * and a study needs none of them. Objects have no prototype, so that a key `__proto__` is only a key.
 */
import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { type Path, pathText, shorten } from './path.ts'

export interface PlacedProblem {
  readonly offset: number
  readonly message: string
}

interface Offsets {
  readonly key: number | undefined
  readonly value: number
}

/** Collects values, places and refusals in one walk over the nodes. */
export class NodeReader {
  readonly problems: PlacedProblem[] = []
  readonly #placeAt: (offset: number) => string
  readonly #offsets = new Map<string, Offsets>()
  readonly #refused = new Set<string>()

  constructor(placeAt: (offset: number) => string) {
    this.#placeAt = placeAt
  }

  read(node: unknown, path: Path, fallback: number, key?: number): unknown {
    // The nodes of a parsed document are Nodes or null.
    const found = node as Node | null
    const offset = found?.range?.[0] ?? fallback
    this.#offsets.set(pathKey(path), { key, value: offset })
    if (found === null) return null
    if (isAlias(found)) {
      this.#refuse(path, offset, 'an alias (*) is not supported; write the value out')
      return undefined
    }
    if (found.tag !== undefined) {
      this.#refuse(path, offset, `a tag (${shorten(found.tag)}) is not supported; a study is plain data`)
      return undefined
    }
    if ((isScalar(found) || isMap(found) || isSeq(found)) && found.anchor !== undefined) {
      this.problems.push({ offset, message: `${pathText(path)}: an anchor (&) is not supported; write the value out` })
    }
    if (isMap(found)) return this.#readMap(found, path)
    if (isSeq(found)) return found.items.map((item, index) => this.read(item, [...path, index], offset))
    if (!isScalar(found)) return undefined
    return found.value === 0 ? 0 : found.value // -0 is 0
  }

  offsetOf(path: Path, target: 'key' | 'value'): number {
    const offsets = this.#offsets.get(pathKey(path))
    if (offsets !== undefined) return target === 'key' ? (offsets.key ?? offsets.value) : offsets.value
    return path.length === 0 ? 0 : this.offsetOf(path.slice(0, -1), 'key')
  }

  isRefused(path: Path): boolean {
    return (
      path.some((_, index) => this.#refused.has(pathKey(path.slice(0, index + 1)))) || this.#refused.has(pathKey([]))
    )
  }

  #readMap(map: YAMLMap, path: Path): Readonly<Record<string, unknown>> {
    const value: Record<string, unknown> = Object.create(null)
    for (const pair of map.items) {
      // As for `read`: keys of a parsed document are Nodes or null.
      const key = pair.key as Node | null
      const offset = key?.range?.[0] ?? map.range?.[0] ?? 0
      if (!isScalar(key) || key.tag !== undefined || key.anchor !== undefined) {
        this.problems.push({ offset, message: `${pathText(path)}: expected a plain word as key` })
        continue
      }
      const name = String(key.value)
      const keyPath = [...path, name]
      if (Object.hasOwn(value, name)) {
        const first = this.#placeAt(this.offsetOf(keyPath, 'key'))
        this.problems.push({ offset, message: `${pathText(keyPath)}: the key is there twice; first at ${first}` })
        continue
      }
      value[name] = this.read(pair.value, keyPath, offset, offset)
    }
    return value
  }

  #refuse(path: Path, offset: number, message: string): void {
    this.#refused.add(pathKey(path))
    this.problems.push({ offset, message: `${pathText(path)}: ${message}` })
  }
}

function pathKey(path: Path): string {
  return JSON.stringify(path.map(String))
}
