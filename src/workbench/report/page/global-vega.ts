/** Vega as the script before this one has put it on the page; the bundle takes this file where a module imports `vega`. */
import type * as Vega from 'vega'

const { vega } = globalThis as unknown as { readonly vega: typeof Vega } // set by vega.min.js
export const { parse, View } = vega
