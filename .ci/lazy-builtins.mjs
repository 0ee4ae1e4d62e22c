/**
 * Parts of Node that most short commands never call — hashing, compression, child processes — take longer to load than such a command
 * computes. In the bundle their functions load them when they are first called; the sources import them as always.
 */
import { isBuiltin } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const LAZY = ['child_process', 'crypto', 'os', 'timers/promises', 'tty', 'util', 'zlib']

/**
 * Node has these loaded before the program begins, but not all that they can do: an `import` of one reads every property that it has, and some
 * load half of Node when they are read (streams and promises of files, the three standard streams).
 */
const PRESENT = ['fs', 'process']

const root = fileURLToPath(new URL('..', import.meta.url))

/** Only our files and commander: others may want a class or a whole module, which cannot be put off. */
const isMeant = (importer) =>
  /^src[\\/]/.test(relative(root, importer)) || /[\\/]node_modules[\\/]commander[\\/]/.test(importer)

export const lazyBuiltins = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, importer, kind }) =>
      [...LAZY, ...PRESENT].includes(path.slice('node:'.length)) && isMeant(importer) && kind !== 'dynamic-import'
        ? { path, namespace: 'lazy-builtin' }
        : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => ({
      contents: PRESENT.includes(path.slice('node:'.length)) ? presentOf(path) : wrappersOf(path),
    }))
  },
}

/** The part itself, and those of its properties that are there without being computed. */
function presentOf(path) {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(path)))
  const names = properties
    .filter(([name, { value }]) => value !== undefined && /^[a-z]\w+$/.test(name))
    .map(([name]) => name)
  const exported = path === 'node:process' ? [] : names
  return `const part = process.getBuiltinModule('${path}')
export const { ${exported.join(', ')} } = part
export default part`
}

/** Every function of a part as one that asks for the part at each call. What is no function, or a class, cannot be imported so: the build says it. */
function wrappersOf(path) {
  if (!isBuiltin(path)) throw new Error(`${path} is no part of Node`)
  const names = Object.entries(process.getBuiltinModule(path))
    .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name))
    .map(([name]) => name)
  const wrappers = names.map((name) => `export const ${name} = (...args) => part().${name}(...args)`)
  return [
    `let known; const part = () => (known ??= process.getBuiltinModule('${path}'))`,
    ...wrappers,
    // For \`import whole from 'node:…'\`.
    `export default { ${names.join(', ')} }`,
  ].join('\n')
}
