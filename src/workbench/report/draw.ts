/** Vega-Lite specs compiled here, so that the page carries only the Vega runtime. */
import { compile } from 'vega-lite'
import { CHART_CONFIG, type ChartSpec } from './charts/theme.ts'

/**
 * The Vega spec of a chart. Throws where Vega-Lite warns: a warning means that something given is not drawn as meant,
 * and our specs come from code, not from a person who could read it.
 */
export function compileChart(spec: ChartSpec): unknown {
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
    logger: logger as never, // its type overloads `level` as getter and setter in one; nothing here reads the level
  }).spec
}
