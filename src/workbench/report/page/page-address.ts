/** The page's address: what readers have chosen stands behind its `#`, and back and forward bring it again. */
import { readState, type ViewState, writeState } from '../model/view-state.ts'
import { takeFocus } from './make-element.ts'

/** Browsers refuse more than about a hundred changes of the address in half a minute; a drag makes sixty a second. */
const WRITE_EVERY_MS = 350

/** By prefix: what is to be written. */
const waiting = new Map<string, ViewState>()
let writtenAt = -WRITE_EVERY_MS
let asked = 0

export function readAddress(prefix: string): ViewState {
  return readState(keysOfAddress(), prefix)
}

/** Whether it says anything of that section. */
export function isInAddress(prefix: string): boolean {
  return [...keysOfAddress().keys()].some((key) => key.startsWith(prefix))
}

/** The first change is written at once, and the last one of many soon. */
export function writeAddress(prefix: string, state: ViewState): void {
  waiting.set(prefix, state)
  if ((keysOfAddress().get(`${prefix}trial`) ?? null) !== state.trial) writeWaiting('pushState')
  else writeSoon()
}

/** The first change at once, and the last one of many soon. */
function writeSoon(): void {
  cancelAnimationFrame(asked)
  if (performance.now() - writtenAt >= WRITE_EVERY_MS) writeWaiting('replaceState')
  else if (waiting.size > 0) asked = requestAnimationFrame(writeSoon)
}

function writeWaiting(how: 'pushState' | 'replaceState'): void {
  if (waiting.size === 0) return
  const keys = keysOfAddress()
  for (const [prefix, state] of waiting) writeState(keys, prefix, state)
  waiting.clear()
  const text = keys.toString()
  const address = text === '' ? location.pathname : `#${text}`
  if (address === (location.hash || location.pathname)) return
  // what is remembered of a place stays with it; a new one has nothing yet
  history[how](how === 'pushState' ? null : history.state, '', address)
  writtenAt = performance.now()
}

/** A fragment without `=` is the id of a part of the page. */
function keysOfAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '')
}

/**
 * Makes the address keep up when the reader leaves, goes back, or follows a link such as `#s2-trial=2537d764cd2e`, which changes only what it
 * names. `arrived` gets the keys of such a link.
 */
export function keepAddress(arrived: (keys: readonly string[]) => void): void {
  addEventListener('pagehide', () => writeWaiting('replaceState'))
  addEventListener('popstate', () => waiting.clear())
  addEventListener('hashchange', focusNamed)
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null
    const target = link?.getAttribute('href') ?? ''
    if (target.length > 1 && !target.includes('=') && location.hash.includes('=')) return showPlace(event, target)
    if (!target.includes('=') || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    writeWaiting('replaceState')
    const keys = keysOfAddress()
    const named = new URLSearchParams(target.slice(1))
    for (const [key, value] of named) {
      keys.set(key, value)
      if (key.endsWith('trial')) keys.delete(`${key.slice(0, -'trial'.length)}if`) // a what-if is of the trial that was open
    }
    history.pushState(null, '', `#${keys}`)
    dispatchEvent(new PopStateEvent('popstate'))
    arrived([...named.keys()])
  })
}

/** The address goes on saying what is chosen. */
function showPlace(event: MouseEvent, target: string): void {
  const place = document.getElementById(target.slice(1))
  if (place === null) return
  event.preventDefault()
  place.scrollIntoView()
  focusHead(place)
}

/** Whoever comes by a link to a part of the page goes on from its head. */
export function focusNamed(): void {
  const place = location.hash.includes('=') ? null : document.getElementById(location.hash.slice(1))
  if (place !== null) focusHead(place)
}

const HEADS = 'summary, h1, h2, h3, h4'

function focusHead(place: HTMLElement): void {
  const head = place.matches(HEADS) ? place : (place.querySelector('.headline') ?? place.querySelector(HEADS))
  const focused = head?.closest('summary') ?? head ?? place
  if (focused instanceof HTMLElement) takeFocus(focused)
}
