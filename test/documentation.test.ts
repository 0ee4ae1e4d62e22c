/** What README and guide promise is what the program has: commands, flags, settings, exit codes, views. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SETTING_VARIABLES } from '../src/cli/settings.ts'
import { EXIT_CODES } from '../src/errors.ts'
import { VIEWS } from '../src/workbench/store/views.ts'
import { commandsBelow, commandTree, examplesOf } from './support/command-tree.ts'

const root = new URL('..', import.meta.url)
const read = (page: string) => readFileSync(new URL(page, root), 'utf8')
const reference = read('src/guide/settings.md')
const pages = [
  'README.md',
  ...readdirSync(new URL('src/guide', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `src/guide/${name}`),
]

const leaves = commandsBelow(commandTree())

describe('the reference', () => {
  it.each(leaves.map(({ path }) => path))('names the command dcalab%s', (path) => {
    expect(reference).toContain(`dcalab${path}`)
  })

  it.each([...SETTING_VARIABLES])('explains the setting %s', (name) => {
    expect(reference).toContain(`\`${name}\``)
  })

  it.each(Object.entries(EXIT_CODES))('explains exit code %s as “%s”', (code, meaning) => {
    expect(reference).toMatch(new RegExp(`\\| ${code} \\| ${escapeRegExp(meaning)}`))
  })

  it.each(Object.keys(VIEWS))('describes the view %s', (view) => {
    expect(reference).toContain(`\`${view}\``)
  })

  it('names only flags that the commands have, where its table of commands names some', () => {
    const rows = [...reference.matchAll(/^\| `dcalab .*$/gm)].map(([row]) => row)
    const unknown = rows.flatMap((row) => {
      const named = [...row.matchAll(/`dcalab( [a-z ]+)`/g)].map(([, path]) => path)
      const known = leaves
        .filter(({ path }) => named.some((name) => path === name))
        .flatMap(({ command }) => command.options.map(({ long }) => long))
      return [...row.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag).filter((flag) => !known.includes(flag))
    })
    expect(rows.length).toBeGreaterThan(15)
    expect(unknown).toEqual([])
  })
})

describe('the version', () => {
  const { version } = JSON.parse(read('package.json'))

  it('stands first in the changelog', () => {
    const [, newest] = /^## (.+)$/m.exec(read('src/guide/changelog.md')) ?? []
    expect(newest).toMatch(new RegExp(`^${escapeRegExp(version)} — \\d{4}-\\d\\d-\\d\\d$`))
  })

  it('is the same in package.json, in the lockfile and wherever a page names a package or an image', () => {
    const lock = JSON.parse(read('package-lock.json'))
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/\bdca(?:-lab-|lab:)(\d+\.\d+\.\d+)/g)].map(([, each]) => each),
    )
    expect(named.length).toBeGreaterThan(1)
    expect(new Set([lock.version, lock.packages[''].version, ...named])).toEqual(new Set([version]))
  })
})

describe('README and guide', () => {
  const known = new Set(['settings', ...leaves.map(({ path }) => path.trim().split(' ')[0])]) // `dcalab help settings`

  it.each(pages)('%s mentions no command that does not exist', (page) => {
    const mentioned = [...read(page).matchAll(/`?(?:\.\/)?dcalab (?:help )?([a-z]+)/g)].map((match) => match[1])
    expect(mentioned.filter((name) => !known.has(name))).toEqual([])
  })

  it.each(pages)('%s names only settings that there are', (page) => {
    const settings: readonly string[] = SETTING_VARIABLES
    const named = [...read(page).matchAll(/DCALAB_[A-Z_]+/g)].map(([name]) => name)
    const toldAtTheEnd = /^DCALAB_RUN_/ // test/guide/agents.test.ts holds those
    expect(named.filter((name) => !settings.includes(name) && !toldAtTheEnd.test(name))).toEqual([])
  })

  it('lead to every page of the guide', () => {
    const listed = [...read('src/guide/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
      ([, name]) => `src/guide/${name}`,
    )
    expect(pages.filter((page) => !listed.includes(page))).toEqual(['README.md', 'src/guide/README.md'])
  })
})

/** Words of each page, as a reader counts them: what is typed or copied is no prose. */
const WORDS_OF_PAGE: Readonly<Record<string, number>> = {
  ...{ README: 250, start: 800, candles: 800, screening: 600, verdict: 1500, evidence: 900, report: 450 },
  ...{ service: 800, 'long-runs': 700, bots: 350, data: 800, agents: 600, statistics: 900, changelog: 300 },
  ...{ 'many-machines': 800, 'embedded-service': 400, settings: 1300 },
}

describe('the guide is short', () => {
  const guide = pages.filter((page) => page !== 'README.md')
  const isWord = (text: string) => /[\p{L}\p{N}]/u.test(text)
  const wordsIn = (text: string) => text.split(/\s+/).filter(isWord).length
  const withoutBlocks = (text: string) =>
    text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/^ {4}.*$|<!--.*?-->/gm, '')

  it('has the pages it is planned with, each within its words', () => {
    const names = guide.map((page) => page.replace(/^.*\/|\.md$/g, ''))
    expect(names.toSorted()).toEqual(Object.keys(WORDS_OF_PAGE).toSorted())
    const counts = guide.map((page, at) => [names[at], wordsIn(withoutBlocks(read(page)))] as const)
    expect(counts.filter(([name, words]) => words > WORDS_OF_PAGE[name])).toEqual([])
  })

  it('has at most 12,000 words with everything that is typed or copied', () => {
    expect(guide.reduce((sum, page) => sum + wordsIn(read(page)), 0)).toBeLessThanOrEqual(12_000)
  })

  it.each(guide)('%s has no sentence of more than 30 words', (page) => {
    const paragraphs = withoutBlocks(read(page)).split(/\n\s*\n|\n(?= *(?:[-|#]|\d+\. ))|(?<!\\)\|/)
    const sentences = paragraphs.flatMap((text) =>
      text.replace(/\]\([^)]*\)|`[^`]*`/g, (part) => (part.startsWith('`') ? 'code' : '')).split(/(?<=[.?!]\**)\s+/),
    )
    expect(sentences.filter((sentence) => wordsIn(sentence) > 30)).toEqual([])
  })
})

/** Their help ends in a list of names, which is as long as it is. */
const LISTS_NAMES: readonly string[] = ['--interval', '--example', '--show']

describe('the help of every command', () => {
  it.each(leaves)('dcalab$path describes itself and each option in at most 60 characters', ({ command }) => {
    const options = command.options.filter(({ long }) => !LISTS_NAMES.includes(long ?? ''))
    const texts = [command.description(), ...options.map(({ description }) => description)]
    expect(texts.filter((text) => text.length > 60)).toEqual([])
  })

  it.each(leaves)('dcalab$path says what it does and ends with two examples', ({ command }) => {
    expect(command.description()).not.toBe('')
    expect(examplesOf(command)).toHaveLength(2)
  })
})

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
