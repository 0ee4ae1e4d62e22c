/**
 * Makes `dist/guide.html` of the pages in `src/guide/`: one file that needs nothing else, so that it opens without a network. Pages come in the order
 * of the guide's list, then whatever else they link to (fields, views, warnings, decisions), so that no link leads out of the file.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import { build } from 'esbuild'
import { Marked } from 'marked'

const FIRST = 'src/guide/README.md'
const LINK = /\]\((?!https?:|#)([^)#\s]+\.md)(#[^)]*)?\)/g

/** @param root the project's folder, ending in a slash */
export async function buildGuide(root) {
  const paths = pagesFrom(root)
  const pages = paths.map((path) => render(root, path, new Set(paths)))
  const script = await scriptOf(root)
  const style = readFileSync(join(root, 'src/guide/page/guide.css'), 'utf8')
  writeFileSync(join(root, 'dist/guide.html'), documentOf(pages, { script, style }))
}

/** Every page that is reached from the list by links, nearest first. */
function pagesFrom(root) {
  const paths = [FIRST]
  for (const path of paths) {
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, link] of text.matchAll(LINK)) {
      const target = posix.join(dirname(path), link)
      if (!paths.includes(target) && existsSync(join(root, target))) paths.push(target)
    }
  }
  return paths
}

const idOf = (path) =>
  path
    .replace(/^src\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|[^a-z0-9 -]/g, '')
    .trim()
    .replace(/ +/g, '-')

/** A page as sections, one for each heading, which are what a search shows or hides. */
function render(root, path, known) {
  const id = idOf(path)
  const folder = dirname(path)
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens)
        const own = depth === 1 ? id : `${id}--${slug(text)}`
        const level = Math.min(depth + 1, 6)
        return `</section><section id="${own}" data-depth="${depth}"><h${level}>${text}</h${level}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const address = addressOf(href)
        return address === undefined ? text : `<a href="${address}">${text}</a>`
      },
      image: ({ href, text }) => `<img alt="${escaped(text)}" src="${pictureOf(join(root, folder, href))}">`,
      html: () => '', // comments for tests; the pages hold no other
    },
  })
  const addressOf = (href) => {
    if (/^https?:/.test(href)) return escaped(href)
    const [file, anchor = ''] = href.split('#')
    const target = file === '' ? path : posix.join(folder, file)
    if (!known.has(target)) return undefined
    return `#${idOf(target)}${anchor === '' ? '' : `--${anchor}`}`
  }
  const text = readFileSync(join(root, path), 'utf8')
  // What is wider than a phone scrolls in its own place, for which the keyboard has to reach it.
  const html = marked
    .parse(text)
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path
  return { id, title, isGuide: folder === 'src/guide', html: `${html}</section>`.replace(/^<\/section>/, '') }
}

function pictureOf(path) {
  return `data:image/${extname(path).slice(1)};base64,${readFileSync(path, 'base64')}`
}

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')
}

async function scriptOf(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/guide/page/search.ts'],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['chrome103', 'firefox113', 'safari16.4'],
  })
  return outputFiles[0].text
}

const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function documentOf(pages, { script, style }) {
  const listed = (those) => those.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join('\n')
  const [guide, others] = [pages.filter(({ isGuide }) => isGuide), pages.filter(({ isGuide }) => !isGuide)]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Guide to DCA Lab</title>
<style>${style}</style>
<body>
<header>
<p class="name">DCA Lab</p>
<label for="search">Search</label> <input id="search" type="search" autocomplete="off" spellcheck="false">
<p id="found" role="status"></p>
<nav aria-label="Pages">
<ul>
${listed(guide)}
</ul>
<p class="name">Look up</p>
<ul>
${listed(others)}
</ul>
</nav>
</header>
<main>
<h1>Guide to DCA Lab</h1>
${pages.map(({ id, html }) => `<article data-page="${id}">${html}</article>`).join('\n')}
</main>
<script>${script}</script>
`
}
