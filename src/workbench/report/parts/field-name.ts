/** The name of a field, which may break before its capitals. */
import type { ConfigField } from '../../../contract/bot.ts'
import { type Html, html } from '../html.ts'

export function fieldName(field: ConfigField): Html {
  return html`${field.split(/(?=[A-Z])/).map((word, index) => html`${index > 0 && html`<wbr>`}${word}`)}`
}
