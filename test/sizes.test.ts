/** No file above 500 lines and no function above 80, read by the TypeScript compiler from every file in `src/`. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  isArrowFunction,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isSetAccessorDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src/')

const MOST_LINES_OF_A_FILE = 500
const MOST_LINES_OF_A_FUNCTION = 80

/** The hot loop keeps all its numbers local, so it cannot be cut; `engine/reference.ts` is its plain twin (decisions/0012). */
const KERNEL = 'engine/jump/assembly/'

const FUNCTIONS = [
  isArrowFunction,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isSetAccessorDeclaration,
]

const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length

/** Every function of a file, inner ones too: the line on which it begins, and how many it has. */
function functionsOf(file: SourceFile): { readonly line: number; readonly lines: number }[] {
  const found: { line: number; lines: number }[] = []
  const visit = (node: Node): void => {
    if (FUNCTIONS.some((is) => is(node))) {
      const line = lineAt(file.text, node.getStart(file))
      found.push({ line, lines: lineAt(file.text, node.end) - line + 1 })
    }
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

function readSources(): { readonly name: string; readonly file: SourceFile }[] {
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] })
    return snapshot.getProjects().flatMap(({ program }) =>
      program.getSourceFileNames().flatMap((path) => {
        const file = path.startsWith(src) ? program.getSourceFile(path) : undefined
        return file === undefined ? [] : [{ name: path.slice(src.length), file }]
      }),
    )
  } finally {
    api.close()
  }
}

const sources = readSources().filter(({ name }) => !name.startsWith(KERNEL))
const functions = sources.flatMap(({ name, file }) =>
  functionsOf(file).map(({ line, lines }) => ({ place: `${name}:${line}`, lines })),
)

it('reads the whole program', () => {
  expect(sources.length).toBeGreaterThan(300)
  expect(functions.length).toBeGreaterThan(2000)
})

it(`has no file of more than ${MOST_LINES_OF_A_FILE} lines`, () => {
  const sizes = sources.map(({ name, file }) => ({ name, lines: file.text.trimEnd().split('\n').length }))
  expect(sizes.filter(({ lines }) => lines > MOST_LINES_OF_A_FILE)).toEqual([])
})

it(`has no function of more than ${MOST_LINES_OF_A_FUNCTION} lines`, () => {
  expect(functions.filter(({ lines }) => lines > MOST_LINES_OF_A_FUNCTION)).toEqual([])
})
