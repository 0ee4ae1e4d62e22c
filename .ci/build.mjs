/**
 * The one build file: `node .ci/build.mjs [program]` makes `dist/` (what npm ships), and with another name one of the programs for developers.
 * Types are checked by `npm run types`; here they are only taken off.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { buildGuide } from './guide.mjs'
import { buildProgram } from './layers.mjs'
import { lazyBuiltins } from './lazy-builtins.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Bundles that carry CommonJS packages need a `require`. Most chunks of the program carry none, so that each makes its own when it is asked. */
const withRequire =
  "import{createRequire as __cr}from'node:module';let __r;const require=(id)=>(__r??=__cr(import.meta.url))(id);"

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  logLevel: 'warning',
  banner: { js: withRequire },
  external: [
    ...['better-sqlite3', '@modelcontextprotocol/sdk'],
    ...['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'], // it finds its WebAssembly beside itself
  ],
}

/** Of Vega what no chart of a page has: those who import it never call it. Node has read the specs. */
const UNUSED_OF_VEGA =
  /^(vega-(parser|event-selector|geo|force|hierarchy|label|regression|voronoi|wordcloud|crossfilter|projection)|d3-(dsv|geo|geo-projection)|topojson-client)$/

const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: UNUSED_OF_VEGA }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/**
 * Texts of Vega that cost a page more than they give it. Its interpreter makes the functions of an event anew for every value that it computes, of which
 * those that belong to no event have none: half of its time. And every scheme of colours is computed at the start, of which our charts use none.
 */
const SPARED = [
  [/vega-interpreter\.js$/, '\n  EventFunctions.forEach(', '\n  if (event) EventFunctions.forEach('],
  [/vega-scale\.js$/, 'apply(continuous, _ => interpolateColors(colors(_)));', ''],
]

/** Ends the build where another version of Vega says one of these in other words. */
const withoutSpared = {
  name: 'without-spared',
  setup({ onLoad }) {
    for (const [filter, text, replacement] of SPARED) {
      onLoad({ filter }, async ({ path }) => {
        const [before, after, ...more] = (await readFile(path, 'utf8')).split(text)
        if (after === undefined || more.length > 0) throw new Error(`${path} says it in other words`)
        return { contents: `${before}${replacement}${after}` }
      })
    }
  },
}

/** The script of a report's page, for browsers: its own code and Vega. */
const REPORT_PAGE = {
  entryPoints: ['src/workbench/report/page/page.ts'],
  outfile: 'dist/report-page.js',
  platform: 'browser',
  format: 'iife',
  target: ['chrome103', 'firefox113', 'safari16.4'], // the first with DecompressionStream('deflate-raw')
  external: [],
  banner: {},
  plugins: [withoutUnused, withoutSpared],
  minify: true,
  legalComments: 'none',
}

/** All files of the program have these; `layers.mjs` says which there are. */
const PROGRAM = {
  ...common,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [lazyBuiltins],
}

const BUILDS = {
  bench: { entryPoints: ['test/bench/bench.ts'], outfile: 'dist/bench/bench.js', minifySyntax: true },
  'bench-candles': { entryPoints: ['test/bench/candles.ts'], outfile: 'dist/bench/candles.js' },
  'bench-examine': { entryPoints: ['test/bench/examine.ts'], outfile: 'dist/bench/examine.js' },
  pictures: { entryPoints: ['test/pictures/pictures.ts'], outfile: 'dist/pictures/pictures.js', packages: 'external' },
  'bench-report': { entryPoints: ['test/bench/report.ts'], outfile: 'dist/bench/report.js', packages: 'external' },
  'bench-calibration': { entryPoints: ['test/bench/calibration.ts'], outfile: 'dist/bench/calibration.js' },
  'bench-start': { entryPoints: ['test/bench/start.ts'], outfile: 'dist/bench/start.js' },
  'bench-starts': { entryPoints: ['test/bench/starts.ts'], outfile: 'dist/bench/starts.js', minifySyntax: true },
  'bench-store': { entryPoints: ['test/bench/store.ts'], outfile: 'dist/bench/store.js' },
  'bench-league': { entryPoints: ['test/bench/league.ts'], outfile: 'dist/bench/league.js' },
  'bench-method': { entryPoints: ['test/bench/method.ts'], outfile: 'dist/bench/method.js' },
  exercise: { entryPoints: ['test/service/exercise-cli.ts'], outfile: 'dist/exercise/exercise.js' },
  kernel: { entryPoints: ['test/engine/kernel/build.ts'], outfile: 'dist/kernel/build.js', packages: 'external' },
}

/** What the program in `dist/` was made from; it stands there once all of it is made. */
const STAMP = join(root, 'dist/made-from')

const name = process.argv[2] ?? 'program'
if (name === 'program') {
  const sources = hashSources()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) process.exit()
  rmSync(STAMP, { force: true })
  dropOldChunks(await buildProgram(root, PROGRAM))
  await Promise.all([build({ ...common, ...REPORT_PAGE }), buildGuide(root), compileCharts()])
  rmSync(`${root}node_modules/.cache/dcalab`, { recursive: true, force: true }) // compiled forms of what is gone (src/entry.ts)
  writeFileSync(STAMP, sources)
} else if (Object.hasOwn(BUILDS, name)) {
  await build({ ...common, ...BUILDS[name] })
} else {
  process.stderr.write(`there is no build "${name}"; there are ${['program', ...Object.keys(BUILDS)].join(', ')}\n`)
  process.exit(2)
}

/** Of every file that a build reads, and of the packages. */
function hashSources() {
  const hash = createHash('sha256')
  for (const place of ['package.json', 'package-lock.json', '.ci', 'src']) {
    const inside = statSync(root + place).isDirectory() ? readdirSync(root + place, { recursive: true }).sort() : ['']
    for (const file of inside.map((path) => join(place, path))) {
      if (file.includes('node_modules') || statSync(root + file).isDirectory()) continue
      hash.update(`${file}\0`).update(readFileSync(root + file))
    }
  }
  return hash.digest('hex')
}

/** The usual charts of reports, as Vega runs them, by the name of their shape. */
async function compileCharts() {
  const folder = `${root}dist/charts`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}/compile.mjs`
  await build({ ...common, entryPoints: ['src/workbench/report/draw.ts'], outfile })
  const { compileUsual } = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  for (const [name, text] of compileUsual()) writeFileSync(`${folder}/${name}.json`, text)
}

/** Chunks carry a hash in their names, so those of earlier builds would stay, and be shipped. */
function dropOldChunks(outputs) {
  const made = new Set(outputs.map((path) => basename(path)))
  for (const chunk of readdirSync(`${root}dist/chunks`)) {
    if (!made.has(chunk)) rmSync(`${root}dist/chunks/${chunk}`)
  }
}
