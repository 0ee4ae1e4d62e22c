/** What runs inside a dialect's interpreter is checked as TypeScript and carried as text: `-u` writes the text from its source. */
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, it } from 'vitest'
import { projectRoot } from '../../support/dcalab.ts'

const folder = join(projectRoot, 'src/workbench/api/reading')

/** JavaScript of a file with what it imports, as a template of TypeScript holds it. */
function textOf(file: string): string {
  const asked = {
    bundle: true,
    format: 'esm',
    target: 'es2023',
    minifyWhitespace: true,
    lineLimit: 140,
    write: false,
  } as const
  const { outputFiles } = buildSync({ entryPoints: [join(folder, file)], absWorkingDir: folder, ...asked })
  return outputFiles[0].text.replace(/[\\`]|\$(?=\{)/g, (character) => `\\${character}`)
}

it('the texts of a dialect’s interpreter are their sources', async () => {
  const written = `/** Written from \`dialect-caller.ts\` and \`dialect-library.ts\` by \`test/workbench/api/dialect-texts.test.ts -u\`. */
export const DIALECT_CALLER = \`${textOf('dialect-caller.ts')}\`

/** The module \`dcalab\`. */
export const DIALECT_LIBRARY = \`${textOf('dialect-library.ts')}\`
`
  await expect(written).toMatchFileSnapshot(join(folder, 'dialect-texts.ts'))
})
