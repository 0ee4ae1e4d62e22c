/** `dcalab merge`: takes over everything that another store knows. */
import type { MergeReport } from '../../workbench/store/merge/report.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { withProgress } from '../long-work.ts'
import { countOf, printJson, printLines, say } from '../output.ts'
import { pathsOf, withOpenStore } from '../workbench.ts'

/** Stores that grew apart for long may have opened as many hold-outs as they have studies. */
const MOST_NOTES = 20

export const mergeCommand: Register = (program, context) => {
  const command = program
    .command('merge')
    .description('takes over everything that another store knows; merging again changes nothing')
    .argument('<file>', 'the other store, of this or an older layout; it is only read')
  withExamples(withStore(command), [
    'dcalab merge backup/laptop.sqlite',
    'dcalab merge team/anna.sqlite --store data/workbench.sqlite --json',
  ]).action((file: string, options: CommonOptions) =>
    withOpenStore(context, pathsOf(context, options).store, async (store) => {
      const { mergeStore } = await import('../../workbench/store/merge/merge.ts')
      const { stateFolder } = context.settings()
      const { terminal } = context.system
      const report = await withProgress(context, (tell) =>
        mergeStore(store, {
          path: file,
          ...(stateFolder === undefined ? {} : { lockFolder: stateFolder }),
          tell,
          signal: context.signal,
        }),
      )
      if (report.parked > 0) {
        say(
          terminal,
          `note: ${countOf(report.parked, 'submission')} had no answer there yet; settle it: dcalab jobs resolve`,
        )
      }
      for (const { study, kept, dropped } of report.openedTwice.slice(0, MOST_NOTES)) {
        say(
          terminal,
          `note: the hold-out of ${study} was opened in both stores; the opening of ${kept.at} by ${kept.by} stays, that of ${dropped.at} by ${dropped.by} was later`,
        )
      }
      const more = report.openedTwice.length - MOST_NOTES
      if (more > 0) say(terminal, `note: ${countOf(more, 'hold-out')} more, opened in both stores; --json has them all`)
      return options.json ? printJson(terminal, report) : printLines(terminal, describe(report))
    }),
  )
}

function describe({ other, layout, added, advanced }: MergeReport): string[] {
  const isNew = Object.entries(added).filter(([, count]) => count > 0)
  const isKnown = Object.entries(advanced).filter(([, count]) => count > 0)
  if (isNew.length === 0 && isKnown.length === 0)
    return [`${other} (layout ${layout}) has nothing that is not here already`]
  return [
    `merged ${other} (layout ${layout})`,
    ...isNew.map(([what, count]) => `  ${count} new ${inWords(what, count)}`),
    ...isKnown.map(([what, count]) => `  ${count} ${inWords(what, count)} of ours brought forward`),
  ]
}

/** foreignJobs → foreign jobs; of one: foreign job. */
function inWords(name: string, count: number): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return count === 1 && words !== 'settings' ? words.replace(/ies$/, 'y').replace(/s$/, '') : words
}
