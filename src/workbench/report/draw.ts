/** Compiles Vega-Lite specs and reads what Vega makes of them, so that the page needs neither compiler nor parser. */
import { parse, type Spec } from 'vega'
import { compile } from 'vega-lite'
import { isPicture, type StillChart } from './charts/charts.ts'
import { fillShape, usualShapes } from './charts/shapes.ts'
import { CHART_CONFIG } from './charts/theme.ts'

/**
 * The Vega spec of a chart. Throws where Vega-Lite warns: a warning means that something is not drawn as intended, and nobody
 * would read it, because our specs come from code.
 */
export function compileChart(spec: StillChart): unknown {
  if (isPicture(spec)) throw new Error('a heat map is no Vega-Lite spec')
  const complain = (...messages: unknown[]): never => {
    throw new Error(`vega-lite: ${messages.join(' ')}`)
  }
  const logger = {
    warn: complain,
    error: complain,
    info: () => logger,
    debug: () => logger,
    level: () => logger,
  }
  return compile(spec, {
    config: CHART_CONFIG,
    logger: logger as never, // its type overloads `level` as getter and setter, which a plain object cannot have; nothing reads the level here
  }).spec
}

/** What Vega runs of a chart, for a page, whose policy allows no eval: expressions are syntax trees. */
export function chartText(chart: StillChart): string {
  const text = JSON.stringify(parse(compileChart(chart) as Spec, undefined, { ast: true })) // compiled by Vega-Lite
  const nameless: string[] = []
  // Vega counts data without a name over all charts: the same chart would have another text
  return text.replace(/"_:vega:_\d+"/g, (name) => {
    if (!nameless.includes(name)) nameless.push(name)
    return `"_:vega:_${nameless.indexOf(name)}"`
  })
}

/** By name of the shape, for the build. Throws where something of a chart would be lost in it. */
export function compileUsual(): ReadonlyMap<string, string> {
  return new Map(
    Array.from(usualShapes(), ([name, spec]) => {
      const text = chartText(spec)
      if (fillShape(text, Array(99).fill('')).includes('@@'))
        throw new Error(`a mark of shape ${name} is inside of a text`)
      return [name, text]
    }),
  )
}
