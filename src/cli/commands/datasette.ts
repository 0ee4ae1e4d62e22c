/** `dcalab datasette`: writes the metadata with which Datasette explains the store's views. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { shellWord } from '../next-command.ts'
import { option } from '../option.ts'
import { printJson, printLines } from '../output.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

interface DatasetteOptions extends CommonOptions {
  readonly out: string
  readonly force?: boolean
}

export const datasetteCommand: Register = (program, context) => {
  const command = program
    .command('datasette')
    .description('writes metadata.json, by which Datasette says what every view and column of the store means')
    .addOption(option('--out <path>', 'the file, or a folder that gets a metadata.json', { default: 'metadata.json' }))
    .option('--force', 'replace the file that is there')
  withExamples(withStore(command), [
    'dcalab datasette',
    'dcalab datasette --out explore/ --store data/workbench.sqlite --json',
  ]).action((options: DatasetteOptions) => {
    const path = isFolder(options.out) ? join(options.out, 'metadata.json') : options.out
    return withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const [{ datasetteMetadata }, { writeWhole }] = await Promise.all([
        import('../../workbench/store/datasette.ts'),
        import('../../workbench/store/whole-file.ts'),
      ])
      const text = `${JSON.stringify(datasetteMetadata(store), null, 2)}\n`
      await writeWhole({ path, setting: '--out' }, { force: options.force ?? false, store: store.path }, (part) =>
        writeFileSync(part, text, { flag: 'wx' }),
      )
      const serve = `datasette ${shellWord(store.path)} --metadata ${shellWord(path)}`
      const { terminal } = context.system
      if (options.json) return printJson(terminal, { path, bytes: Buffer.byteLength(text), command: serve })
      return printLines(terminal, [`${path} describes the views of ${store.path}`, `look at it with: ${serve}`])
    })
  })
}

function isFolder(path: string): boolean {
  return path.endsWith('/') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
}
