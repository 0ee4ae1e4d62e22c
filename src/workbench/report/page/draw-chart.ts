/** Draws a compiled Vega spec without eval: expressions come as syntax trees and are interpreted. */
import { parse, type Spec, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { showTooltip } from './tooltip.ts'

interface DrawOptions {
  /** Data by the name that the spec gives it. */
  readonly data?: Readonly<Record<string, readonly unknown[]>>
  readonly renderer?: 'svg' | 'canvas'
}

/** The view, drawn into `place`. What is drawn is one image with a text alternative, which `place` itself carries. */
export async function drawChart(
  place: HTMLElement,
  spec: unknown,
  { data = {}, renderer = 'svg' }: DrawOptions = {},
): Promise<View> {
  const name = place.getAttribute('aria-label')
  const runtime = parse(spec as Spec, undefined, { ast: true }) // compiled by Vega-Lite in Node
  const view = new View(runtime, {
    expr: expressionInterpreter,
    renderer,
    container: place,
    hover: false,
    tooltip: showTooltip,
  })
  for (const [name, rows] of Object.entries(data)) view.data(name, [...rows])
  await view.runAsync()
  // Vega makes it a document of parts by the name of "Vega visualization"; where it has none of its own, what is around it has one
  if (name === null) for (const own of ['role', 'aria-label']) place.removeAttribute(own)
  else
    for (const [own, value] of [
      ['role', 'img'],
      ['aria-label', name],
    ])
      place.setAttribute(own, value)
  place.removeAttribute('aria-roledescription')
  for (const part of place.children) part.setAttribute('aria-hidden', 'true')
  return view
}
