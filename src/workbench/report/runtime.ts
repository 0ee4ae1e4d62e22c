/** The minified scripts that a report contains: Vega from its package, and the page's own, which the build puts beside the program. */
import { existsSync, readFileSync } from 'node:fs'

/** Scripts as text. */
export interface PageRuntime {
  readonly vega: string
  readonly page: string
}

export function readPageRuntime(): PageRuntime {
  return {
    vega: readBeside(import.meta.resolve('vega'), 'vega.min.js'),
    page: readFileSync(ownScript(), 'utf8'),
  }
}

/** In the built program it lies beside this module or one folder above its chunk; in tests, which run the source, in `dist/`. */
function ownScript(): URL {
  const places = ['./report-page.js', '../report-page.js', '../../../dist/report-page.js']
  const found = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
  if (found === undefined) throw new Error('report-page.js is not built: npm run build')
  return found
}

function readBeside(module: string, file: string): string {
  return withoutSourceMap(readFileSync(new URL(file, module), 'utf8'))
}

/** Developer tools would request a source map that the page names. */
function withoutSourceMap(code: string): string {
  return code.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n')
}
