/**
 * `parts` spans of `count` things as numpy's `array_split`: as equal as can be, the longer ones first. Empty where there are fewer things than parts.
 */
export function splitEvenly(count: number, parts: number): { readonly start: number; readonly end: number }[] {
  if (count < parts) return []
  const startOf = (part: number) => part * Math.floor(count / parts) + Math.min(part, count % parts)
  return Array.from({ length: parts }, (_, part) => ({ start: startOf(part), end: startOf(part + 1) }))
}
