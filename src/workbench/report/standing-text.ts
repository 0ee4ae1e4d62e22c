/** What the page's style sheet does for labels, in a file of its own. Pure. */

/** A label's outline lies below its letters, which it would cover otherwise. */
export function standingText(svg: string): string {
  return svg.replace(/<text /g, '<text paint-order="stroke" stroke-linejoin="round" ')
}
