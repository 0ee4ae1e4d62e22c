/** Files that a reader takes out of the page: rows as CSV, charts as SVG and PNG. Nothing leaves the machine. */
import { standingText } from '../standing-text.ts'
import { makeButton, makeElement } from './make-element.ts'

/** Offers `content` to the reader's folder of downloads. It is kept until the page is closed, because a browser may still ask where to. */
export function saveFile(name: string, content: Blob): void {
  makeElement('a', { is: { href: URL.createObjectURL(content), download: name } }).click()
}

/** What a chart can be saved as: a Vega view, or anything that draws itself as SVG. */
interface Exportable {
  /** File name without its ending. */
  readonly name: string
  readonly view: { readonly toSVG: () => Promise<string> }
}

/** A small menu at the end of `place` that saves its chart as SVG or PNG, in the colours that are seen. */
export function offerExports(place: HTMLElement, { name, view }: Exportable): void {
  const menu = makeElement('details', { class: 'exports' })
  const summary = makeElement('summary', { text: 'Save', is: { 'aria-label': `Save the chart ${name}` } })
  const save = (make: () => Promise<Blob>, ending: string) => () => {
    menu.open = false
    summary.focus()
    void make().then((content) => saveFile(`${name}.${ending}`, content))
  }
  const svg = async () => new Blob([await standaloneSvg(view)], { type: 'image/svg+xml' })
  menu.append(
    summary,
    makeButton('SVG', save(svg, 'svg')),
    makeButton(
      'PNG',
      save(async () => rasterize(await standaloneSvg(view)), 'png'),
    ),
  )
  place.append(menu)
}

/** Colours of the page are its variables; in a file of its own a chart needs their values, and a ground. */
async function standaloneSvg(view: Exportable['view']): Promise<string> {
  const style = getComputedStyle(document.documentElement)
  const colour = (variable: string) => style.getPropertyValue(variable).trim()
  const svg = (await view.toSVG()).replace(/var\((--[a-z0-9-]+)\)/gi, (_, variable: string) => colour(variable))
  return standingText(svg).replace(/(<svg\b[^>]*>)/, `$1<rect width="100%" height="100%" fill="${colour('--paper')}"/>`)
}

/** Twice as fine as it is seen. */
const PIXELS_PER_PIXEL = 2

async function rasterize(svg: string): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = makeElement('canvas', {
    is: { width: PIXELS_PER_PIXEL * image.naturalWidth, height: PIXELS_PER_PIXEL * image.naturalHeight },
  })
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the chart cannot be drawn')) : resolve(blob)))
  })
}
