/** A chart that is drawn again whenever its data change. */
import type { View } from 'vega'
import { drawChart } from '../draw-chart.ts'
import { makeElement } from '../make-element.ts'

export type ChartRows = Readonly<Record<string, readonly unknown[]>>

export interface LiveChart {
  readonly element: HTMLElement
  /** @param words what it shows, for those who cannot see it */
  readonly draw: (data: ChartRows, words: string) => Promise<void>
  /** As it is seen, for who saves it; it was drawn before. */
  readonly toSVG: () => Promise<string>
}

export function liveChart(spec: unknown): LiveChart {
  const element = makeElement('div', { class: 'plot' }) // an image once it is drawn
  let view: Promise<View> | undefined
  let waiting: ChartRows | undefined
  /** One drawing at a time; of several that come meanwhile only the last is drawn. */
  let drawing: Promise<void> | undefined
  const drawWaiting = async (): Promise<void> => {
    while (waiting !== undefined) {
      const data = waiting
      waiting = undefined
      if (view === undefined) {
        view = drawChart(element, spec, { data })
        await view
        continue
      }
      const drawn = await view
      for (const [name, rows] of Object.entries(data)) drawn.data(name, [...rows])
      await drawn.runAsync()
    }
    drawing = undefined
  }
  return {
    element,
    draw(data, words) {
      element.setAttribute('role', 'img')
      element.setAttribute('aria-label', words)
      waiting = data
      drawing ??= drawWaiting()
      return drawing
    },
    async toSVG() {
      const drawn = await view
      if (drawn === undefined) throw new Error('the chart was not drawn yet')
      return drawn.toSVG()
    },
  }
}
