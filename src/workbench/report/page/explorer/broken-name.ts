/** Names of fields in narrow places. */
import { makeElement } from '../make-element.ts'

/** `dcaMaxSafetyOrders`, which may break before a capital. */
export function brokenName(field: string): (Node | string)[] {
  const words = field.match(/^[a-z]+|[A-Z][a-z]*/g) ?? [field]
  return words.flatMap((word, index) => (index === 0 ? [word] : [makeElement('wbr'), word]))
}
