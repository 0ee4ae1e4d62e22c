/** One chart of a report by itself: as a Vega-Lite spec with its data, or as an SVG file that any program shows. */
import { parse, type Spec, View } from 'vega'
import { Failure } from '../../errors.ts'
import { isPicture, type StillChart } from './charts/charts.ts'
import type { ChartSpec } from './charts/theme.ts'
import { compileChart } from './draw.ts'
import type { Facts } from './facts.ts'
import { CONTENTS } from './lay-report.ts'
import { heatPicture } from './model/heat.ts'
import { PAGE_STYLE } from './page-style.ts'
import { standingText } from './standing-text.ts'

interface NamedChart {
  /** As in `CHARTS`; of later sections after their prefix: `s2-scatter`. */
  readonly name: string
  readonly spec: StillChart
}

/** Every chart that has something to draw, in the order of the page. */
function chartsOf(sections: readonly Facts[]): readonly NamedChart[] {
  return sections.flatMap((facts, index) => {
    const prefix = index === 0 ? '' : `s${index + 1}-`
    const parts = CONTENTS.map(([name, title, part]) => part(facts, { prefix, name, title, level: 2 }))
    return parts.flatMap(({ charts }) => charts.map(({ name, spec }) => ({ name: `${prefix}${name}`, spec })))
  })
}

/** @throws Failure usage with the names that there are */
export function findChart(sections: readonly Facts[], name: string): StillChart {
  const charts = chartsOf(sections)
  const found = charts.find((chart) => chart.name === name)
  if (found !== undefined) return found.spec
  const known = charts.map((chart) => chart.name)
  throw new Failure('usage', `this report has no chart ${JSON.stringify(name)}`, {
    hint: known.length === 0 ? 'it has none: nothing is finished yet' : `it has ${known.join(', ')}`,
  })
}

/** Pixels: as wide as a page of a report in print. */
const SVG_WIDTH = 860

/** The chart as an SVG document in the colours of a light screen. */
export async function drawSvg(spec: StillChart): Promise<string> {
  if (isPicture(spec)) return `${withColours(heatPicture(spec))}\n`
  const compiled = compileChart({ ...spec, width: SVG_WIDTH } as ChartSpec) // every spec of ours has a width
  const view = new View(parse(compiled as Spec), { renderer: 'none' }) // compiled by Vega-Lite
  await view.runAsync()
  const svg = await view.toSVG()
  view.finalize()
  return `${withColours(standingText(svg))}\n`
}

/** Other programs than browsers know no CSS variables, so each is written out. */
function withColours(svg: string): string {
  const [light = ''] = PAGE_STYLE.match(/:root \{[^}]*\}/) ?? []
  const colours = new Map(Array.from(light.matchAll(/(--[a-z0-9-]+): ([^;]+);/g), ([, name, value]) => [name, value]))
  return svg.replace(/var\((--[a-z0-9-]+)\)/g, (whole, name: string) => colours.get(name) ?? whole)
}
