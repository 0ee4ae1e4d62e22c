/**
 * How the program is cut into files. A bundler makes a file for every set of rooms that some commands share: eighty for one `leaderboard`, and
 * finding, reading and linking a file takes longer than most of them compute. So what is mostly needed together lies in five files, each of which
 * builds on those before it: `program.js`, which every command loads; `store.js`, for those that open the store; `engine.js`, for those that
 * compute on candles; `evidence.js`, for those that compute again what is stored; `study.js`, for those that read a study's text. What only some
 * commands need is cut as ever.
 */
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { build } from 'esbuild'

const within = (folder, ...names) => names.map((name) => `${folder}/${name}`)

/** Each with all that its files import and no layer before it has. */
const LAYERS = {
  /** The beginning, and `sql`, which has a second process to pay for. */
  program: ['main', 'cli/formats', ...within('workbench/store/sql', 'ask', 'bind')],
  store: [
    ...within('workbench/store', 'store', 'study-records', 'readers', 'stored-ranking', 'study-counts', 'find-trial'),
    ...within('workbench/store', 'marks', 'tried-count', 'ledger', 'spending', 'services'),
    ...within('workbench/store', 'drift-checks', 'holdouts', 'promotions', 'verdicts'),
    ...within('workbench/analysis/warnings', 'warnings', 'find-in-settings'),
    ...within('workbench', 'evidence/holdout/holdout-warnings', 'run/progress', 'study/definition'),
  ],
  engine: [
    ...within('engine', 'backtest', 'ambiguity-pair', 'buy-and-hold', 'jump/sweep', 'curve/take-profit'),
    ...within('candles', 'folder/folder', 'check'),
  ],
  evidence: ['cli/known-terms', 'workbench/evidence/examine/make-evaluation'],
  study: [
    ...within('workbench/study', 'parse', 'rerun', 'proposals'),
    ...within('workbench/store', 'kept-proposals', 'studies'),
  ],
}

/** Each starts a process or a thread, and lies in `dist` itself. */
const STARTED = {
  main: 'src/entry.ts',
  'engine-worker': 'src/workers/engine-worker.ts',
  'screen-worker': 'src/workbench/screen/screen-worker.ts',
  'sql-worker': 'src/workbench/store/sql/sql-worker.ts',
}

/**
 * @param root the project's folder
 * @param options esbuild's, for all files of the program
 * @returns paths of what was made in `dist/chunks`
 */
export async function buildProgram(root, options) {
  const imports = await readImports(options)
  const home = new Map()
  for (const [layer, names] of Object.entries(LAYERS)) {
    const files = names.map((name) => `src/${name}.ts`)
    for (const file of closureOf(files, imports)) if (!home.has(file)) home.set(file, layer)
  }
  const layers = Map.groupBy(home.keys(), (file) => home.get(file))
  const asked = new Set([...imports.values()].flatMap(({ dynamic }) => dynamic))
  const rooms = [...asked].filter((file) => !home.has(file))
  for (const file of rooms) home.set(file, file.replace(/^src\/|\.ts$/g, '').replaceAll('/', '-'))
  const make = (own, more, folder = '.') =>
    build({
      ...options,
      ...more,
      metafile: true,
      plugins: [elsewhere(root, { home, own, folder }), ...options.plugins],
    })
  const made = []
  for (const [layer, files] of layers) {
    refuseNamesakes(
      layer,
      files.map((file) => resolve(root, file)),
    )
    const contents = files.map((file) => `export * from './${file}'`).join('\n')
    made.push(await make([layer], { stdin: { contents, resolveDir: root }, outfile: `dist/chunks/${layer}.js` }))
  }
  made.push(
    await make(
      rooms.map((file) => home.get(file)),
      {
        entryPoints: Object.fromEntries(rooms.map((file) => [home.get(file), file])),
        outdir: 'dist/chunks',
        splitting: true,
      },
    ),
  )
  // A process of one statement, or a thread, has no use for the rest of the program: it carries what it needs itself.
  await make([...home.values()], { entryPoints: STARTED, outdir: 'dist' }, './chunks')
  return made.flatMap(({ metafile }) => Object.keys(metafile.outputs))
}

/** What every file of ours imports when it is loaded, and what it asks for later. */
async function readImports(options) {
  const { metafile } = await build({
    ...options,
    entryPoints: STARTED,
    outdir: 'dist',
    splitting: true,
    write: false,
    metafile: true,
  })
  const isOurs = (path) => path.startsWith('src/')
  const pathsOf = (found, kind) => found.filter((one) => one.kind === kind && isOurs(one.path)).map(({ path }) => path)
  return new Map(
    Object.entries(metafile.inputs)
      .filter(([path]) => isOurs(path))
      .map(([path, { imports }]) => [
        path,
        { loaded: pathsOf(imports, 'import-statement'), dynamic: pathsOf(imports, 'dynamic-import') },
      ]),
  )
}

/** Of two exports with one name a layer would have neither, and only the command that needs one would fail. */
function refuseNamesakes(layer, files) {
  const places = new Map()
  for (const file of files) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(
      /^export (?:async )?(?:function|const|class|let) (\w+)/gm,
    )) {
      if (places.has(name)) throw new Error(`${layer}.js: ${name} is exported by ${places.get(name)} and ${file}`)
      places.set(name, file)
    }
  }
}

function closureOf(files, imports) {
  const closure = new Set(files)
  for (const file of closure) for (const next of imports.get(file).loaded) closure.add(next)
  return [...closure]
}

/** Leaves an import to the file that it lies in, unless that is among those being made (`own`). What is asked for later always lies elsewhere. */
function elsewhere(root, { home, own, folder }) {
  return {
    name: 'elsewhere',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
        const place = home.get(relative(root, resolve(resolveDir, path)).replaceAll('\\', '/'))
        const isLater = kind === 'dynamic-import'
        if (place === undefined || (own.includes(place) && !(isLater && Object.hasOwn(LAYERS, place)))) return
        return { path: `${folder}/${place}.js`, external: true }
      })
    },
  }
}
