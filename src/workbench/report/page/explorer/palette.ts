/** The page's colours for canvases, which know no CSS variables. */

/** A number of the page's palette, `--accent`, as the browser paints it now. */
export function colourOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim()
}

/** Paper is bright, whatever the screen is: the style sheet knows the attribute. */
export function inColoursOfPaper(paint: () => void): void {
  const { dataset } = document.documentElement
  dataset.forPaper = ''
  try {
    paint()
  } finally {
    delete dataset.forPaper
  }
}

/**
 * A Vega spec for the canvas renderer: with colours instead of variables. The outline around letters goes, because a canvas would paint it over
 * them.
 */
export function forCanvas(spec: unknown): unknown {
  if (typeof spec === 'string') return spec.replace(/var\((--[a-z0-9-]+)\)/g, (_, name: string) => colourOf(name))
  if (Array.isArray(spec)) return spec.map(forCanvas)
  if (typeof spec !== 'object' || spec === null) return spec
  const isText = 'type' in spec && spec.type === 'text' && 'encode' in spec
  return Object.fromEntries(
    Object.entries(spec).map(([key, value]) => [
      key,
      isText && key === 'encode' ? withoutStroke(value) : forCanvas(value),
    ]),
  )
}

function withoutStroke(encode: unknown): unknown {
  if (typeof encode !== 'object' || encode === null) return encode
  const sets = Object.entries(encode).map(([set, channels]) => {
    const kept = Object.entries(channels ?? {}).filter(([channel]) => channel !== 'stroke' && channel !== 'strokeWidth')
    return [set, forCanvas(Object.fromEntries(kept))]
  })
  return Object.fromEntries(sets)
}

/** Calls `react` when the screen turns light or dark. */
export function watchScheme(react: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', react)
}
