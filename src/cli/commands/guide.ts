/** `dcalab guide`: lists the pages of the guide, prints one, or opens all of them as one page that can be searched. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../errors.ts'
import { type CommonOptions, type Context, type Register, withExamples, withJson } from '../context.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { printAnswer, printJson } from '../output.ts'

interface GuideOptions extends CommonOptions {
  readonly open?: boolean
}

interface GuidePage {
  readonly name: string
  readonly title: string
  readonly file: string
}

export const guideCommand: Register = (program, context) => {
  const command = program
    .command('guide')
    .description('read the guide: list its pages, print one, or open all')
    .argument('[page]', 'its name in the list')
    .option('--open', 'open all pages in the browser, offline')
  withExamples(withJson(command), ['dcalab guide --open', 'dcalab guide verdict']).action(
    (name: string | undefined, options: GuideOptions) => showGuide(context, name, options),
  )
}

function showGuide(context: Context, name: string | undefined, options: GuideOptions): Promise<void> {
  const { terminal } = context.system
  const pages = readPages(context)
  const html = fileURLToPath(new URL('../dist/guide.html', context.studiesFolder))
  if (name !== undefined) return printAnswer(terminal, [readFileSync(pageNamed(pages, name).file, 'utf8').trimEnd()])
  if (options.open) openInBrowser(html)
  if (options.json) return printJson(terminal, { html, pages })
  const width = Math.max(...pages.map((page) => page.name.length))
  return printAnswer(terminal, [
    ...pages.map((page) => `${page.name.padEnd(width)}  ${page.title}`),
    '',
    `all pages with a search: ${html}`,
  ])
}

/** What the guide's own list names, in its order. */
function readPages({ studiesFolder }: Context): readonly GuidePage[] {
  const folder = new URL('../src/guide/', studiesFolder)
  const list = readFileSync(new URL('README.md', folder), 'utf8')
  return [...list.matchAll(/\[([^\]]+)\]\(([\w/-]+)\.md\)/g)].map(([, title, path]) => ({
    name: path.replace(/\/README$/, ''),
    title: title.charAt(0).toUpperCase() + title.slice(1),
    file: fileURLToPath(new URL(`${path}.md`, folder)),
  }))
}

function pageNamed(pages: readonly GuidePage[], name: string): GuidePage {
  const page = pages.find((each) => each.name === name)
  if (page !== undefined) return page
  throw new Failure('usage', `the guide has no page "${name}"`, {
    hint: `it has ${pages.map((each) => each.name).join(', ')}`,
  })
}
