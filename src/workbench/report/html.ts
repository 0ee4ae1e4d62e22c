/**
 * HTML that is safe against injection: it can be made only with the `html` tag, which escapes every value that is not itself
 * `Html`. So foreign text (a service's error, a market's assets, a flag) always stays text.
 */

class Html {
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  toString(): string {
    return this.#source
  }
}

export type { Html }

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[]

/** A template whose values are escaped; lists are joined; null, undefined and false become nothing. Attribute values need double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, index) => text + render(values[index - 1]) + part))
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'object') return value.map(render).join('')
  return escapeText(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Control characters that HTML does not allow or that would reorder the text around them, shown as the replacement character. */
const unprintable = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]/gu

function escapeText(text: string): string {
  return text.replace(unprintable, '\ufffd').replace(/[<>&"'`]/g, (character) => ENTITIES[character])
}

/** A command, which breaks between its words alone: half a flag cannot be read. */
export function commandText(command: string): Html {
  return html`<code>${command.split(' ').map((word, at) => html`${at > 0 && ' '}<span class="word">${word}</span>`)}</code>`
}

/** Bytes as base64 in a `<script>` that no browser runs. */
export function dataBlock(id: string, bytes: Buffer): Html {
  return new Html(`<script type="text/plain" id="${escapeText(id)}">${bytes.toString('base64')}</script>`)
}

/** Every character beyond ASCII as a reference: browsers keep a page of ASCII, its script too, at one byte a character, and decode it in half the time. */
export function inAscii(part: Html): Html {
  return new Html(part.toString().replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`))
}

/** An inline script or style of our own making. Throws where its text could end the element early, or is not ASCII. */
export function codeBlock(element: 'script' | 'style', code: string): Html {
  if (/[^\0-\x7f]/.test(code)) throw new Error(`inline ${element}: not ASCII`)
  if (/<\/?(?:script|style)|<!--/i.test(code)) throw new Error(`inline ${element}: holds text that would end it early`)
  return new Html(`<${element}>${code}</${element}>`)
}
