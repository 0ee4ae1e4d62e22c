/** The page's address: what readers have chosen stands behind its `#`, and back and forward bring it again. */
import { type DeskState, readState, writeState } from '../model/desk-state.ts'

/** A fragment without `=` is the id of a part of the page. */
export function readAddress(prefix: string): DeskState {
  return readState(new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : ''), prefix)
}

/** One trial opened is one step of the history; everything else replaces the step that it belongs to. */
export function writeAddress(prefix: string, state: DeskState): void {
  const keys = new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '')
  const openedBefore = keys.get(`${prefix}trial`)
  writeState(keys, prefix, state)
  const text = keys.toString()
  const address = text === '' ? location.pathname : `#${text}`
  if (keys.get(`${prefix}trial`) === openedBefore) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
}
