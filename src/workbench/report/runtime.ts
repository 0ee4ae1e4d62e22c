/** The minified scripts that a report contains, read from the installed packages; they are not part of our own bundle. */
import { readFileSync } from 'node:fs'
import type { ChartRuntime } from './build.ts'

export function readChartRuntime(): ChartRuntime {
  return {
    vega: readBeside(import.meta.resolve('vega'), 'vega.min.js'),
    vegaEmbed: readBeside(import.meta.resolve('vega-embed'), 'vega-embed.min.js'),
  }
}

function readBeside(module: string, file: string): string {
  return withoutSourceMap(readFileSync(new URL(file, module), 'utf8'))
}

/** Developer tools would request a source map that the page names. */
function withoutSourceMap(code: string): string {
  return code.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n')
}
