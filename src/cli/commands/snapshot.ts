/** `dcalab snapshot`: a copy of the store in one file. */
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { shellWord } from '../next-command.ts'
import { formatBytes, printJson, printLines } from '../output.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

export const snapshotCommand: Register = (program, context) => {
  const command = program
    .command('snapshot')
    .description('copies the result store into one file, also while a run is going on; the copy is a store')
    .argument('<file>', 'where to; nothing may be there yet')
  withExamples(withStore(command), [
    'dcalab snapshot backup/workbench-2026-01.sqlite',
    'dcalab snapshot /mnt/team/mine.sqlite --json',
  ]).action(async (file: string, options: CommonOptions) => {
    const [{ requireStore }, { takeSnapshot }] = await Promise.all([
      import('../../workbench/store/store.ts'),
      import('../../workbench/store/snapshot.ts'),
    ])
    const path = pathsOf(context, options).store
    requireStore(path)
    const { terminal } = context.system
    const taken = await withStoreToRead(context, path, (store) => takeSnapshot(store, { path: file }))
    if (options.json) return printJson(terminal, { store: path, ...taken })
    return printLines(terminal, [
      `${taken.path} holds the store as it was (${formatBytes(taken.bytes)})`,
      `to restore it, copy it to ${path}, or name it: dcalab status --store ${shellWord(taken.path)}`,
    ])
  })
}
