/**
 * The text of each page of a PDF that Chromium printed, to see what is on which page. Reads only what Chromium writes:
 * plain objects, deflated streams, and fonts whose glyphs a ToUnicode map turns into characters.
 */
import { inflateSync } from 'node:zlib'

export function pdfPages(pdf: Buffer): string[] {
  const objects = objectsOf(pdf.toString('latin1'))
  const pages = [...objects.values()].filter((body) => /\/Type\s*\/Page\b/.test(body))
  return pages.map((page) => {
    const resources = referred(objects, page, 'Resources') ?? page
    const fonts = new Map(
      [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => {
        const map = referred(objects, objects.get(id) ?? '', 'ToUnicode')
        return [name, map === undefined ? new Map<string, string>() : charactersOf(streamOf(map))]
      }),
    )
    return textIn(streamOf(referred(objects, page, 'Contents') ?? ''), fonts)
  })
}

function objectsOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/(?:^|\n)(\d+) 0 obj\b([\s\S]*?)\nendobj/g)].map(([, id, body]) => [id, body]))
}

/** The object behind `/key 12 0 R`. */
function referred(objects: ReadonlyMap<string, string>, body: string, key: string): string | undefined {
  return objects.get(new RegExp(`/${key} (\\d+) 0 R`).exec(body)?.[1] ?? '')
}

function streamOf(body: string): string {
  const start = body.search(/stream\r?\n/)
  if (start < 0) return ''
  const data = body.slice(start).replace(/^stream\r?\n/, '')
  return inflateSync(Buffer.from(data, 'latin1')).toString('latin1')
}

/** Glyph in hexadecimal → character. */
function charactersOf(map: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, section] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, glyph, code] of section.matchAll(/<(\w+)> <(\w+)>/g)) found.set(glyph, characterOf(code))
  }
  for (const [, section] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, first, last, code] of section.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g)) {
      for (let glyph = Number.parseInt(first, 16); glyph <= Number.parseInt(last, 16); glyph++) {
        const shifted = Number.parseInt(code, 16) + glyph - Number.parseInt(first, 16)
        found.set(glyph.toString(16).toUpperCase().padStart(first.length, '0'), String.fromCodePoint(shifted))
      }
    }
  }
  return found
}

function characterOf(code: string): string {
  return Buffer.from(code, 'hex').swap16().toString('utf16le')
}

/** What is shown, in the order it was drawn, without the blanks between pieces of text. */
function textIn(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let font: ReadonlyMap<string, string> = new Map()
  const runs: string[] = []
  for (const [, name, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-F]+)>/g)) {
    if (name !== undefined) font = fonts.get(name) ?? new Map()
    else runs.push((glyphs.match(/.{4}/g) ?? []).map((glyph) => font.get(glyph) ?? '').join(''))
  }
  return runs.join('')
}
