/** `dcalab guide`: lists the pages of the guide, prints one, or opens all of them as one page that can be searched. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../errors.ts'
import { type CommonOptions, type Context, type Register, withExamples, withJson } from '../context.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { type Line, printAnswer, printJson, verbatim } from '../output.ts'
import { fittingTable } from '../table.ts'

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
  if (name !== undefined) {
    const text = readFileSync(pageNamed(pages, name).file, 'utf8').trimEnd()
    if (options.json) return printJson(terminal, { ...pageNamed(pages, name), text })
    return printAnswer(terminal, terminal.outIsTerminal ? renderPage(text, pages) : verbatim(text))
  }
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

/** A page as a terminal shows it: without markup, its tables aligned, its links as notes below it. */
function renderPage(markdown: string, pages: readonly Pick<GuidePage, 'name'>[]): Line[] {
  const notes: string[] = []
  const text = markdown
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g, (_, words: string, target: string) => {
      const [, page = ''] = /([\w-]+)(?:\/README)?\.md/.exec(target) ?? []
      const note = pages.some(({ name }) => name === page) ? `dcalab guide ${page}` : target
      if (!notes.includes(note)) notes.push(note)
      return `${words} [${notes.indexOf(note) + 1}]`
    })
  const blocks = blocksOf(text).map(renderBlock)
  if (notes.length > 0) blocks.push(notes.map((note, at) => `[${at + 1}] ${note}`))
  return blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block]))
}

/** Parts between empty lines, a fenced one whole; a heading, and each item of a list, is one by itself. */
function blocksOf(text: string): readonly (readonly string[])[] {
  const blocks: string[][] = [[]]
  let isFenced = false
  for (const line of text.split('\n')) {
    const begins = /^(#|```| *([-*]|\d+\.) )/.test(line) || blocks[blocks.length - 1][0]?.startsWith('#') === true
    if (!isFenced && (line === '' || begins)) blocks.push([])
    if (line.startsWith('```')) isFenced = !isFenced
    if (line !== '' || isFenced) blocks[blocks.length - 1].push(line)
  }
  return blocks.filter((block) => block.length > 0)
}

function renderBlock(block: readonly string[]): readonly Line[] {
  const [first] = block
  if (first.startsWith('```')) {
    const isEnd = (line: string, at: number) => at > 0 && line.startsWith('```')
    return block.filter((line, at) => at > 0 && !isEnd(line, at)).map((line) => verbatim(`    ${line}`))
  }
  if (/^ {4}/.test(first) && !/^ *([-*]|\d+\.) /.test(first)) return block.map(verbatim)
  if (first.startsWith('|')) return [tableOf(block)]
  const words = inline(block.map((line) => line.trim()).join(' '))
  const [, level, title] = /^(#+) (.*)$/.exec(words) ?? []
  if (title !== undefined) return [title, (level === '#' ? '=' : '-').repeat(title.length)]
  const [indent = ''] = /^ */.exec(first) ?? []
  return [indent + words]
}

/** Without marks of emphasis and escapes. */
function inline(text: string): string {
  return text.replaceAll(/\*\*|(?<!\\)`/g, '').replaceAll(/\\([|*_<>])/g, '$1')
}

function tableOf(block: readonly string[]): Line {
  const [head = [], , ...rows] = block.map((line) =>
    line
      .replaceAll(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim())),
  )
  return fittingTable(
    rows,
    head.map((title, at) => ({ title, role: at === 0 ? 'id' : 'varied', value: (row) => row[at] ?? '' })),
  )
}
