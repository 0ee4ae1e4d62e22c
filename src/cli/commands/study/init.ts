/** `dcalab study init`: writes a starter or a shipped example to studies/, with the JSON Schema that its first line names. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import packageJson from '../../../../package.json' with { type: 'json' }
import type { StoredCandles } from '../../../candles/folder/folder.ts'
import { INTERVALS } from '../../../contract/market.ts'
import { Failure, shellWord } from '../../../errors.ts'
import type { StarterData } from '../../../workbench/study/starter.ts'
import { type CommonOptions, type Context, withCandles, withExamples, withJson } from '../../context.ts'
import { askPerson } from '../../input.ts'
import { option } from '../../option.ts'
import { printJson, printLines, say } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'

interface InitOptions extends CommonOptions, GivenData {
  readonly example?: string
  readonly fitBudget?: boolean
}

/** The package lists its examples one by one, because a user's own studies may be in the same folder. */
export const examples = () =>
  packageJson.files.map((path) => /^studies\/(.+)\.yaml$/.exec(path)?.[1]).filter((name) => name !== undefined)

const SCHEMA_PATH = 'studies/study.schema.json'

export function addInit(study: Command, context: Context): void {
  const command = study
    .command('init')
    .description('write a starter study or an example to studies/')
    .argument('[name]', 'a-z, 0-9 and dashes; else from the example or market')
    .addOption(
      option('--market <exchange/BASE-QUOTE>', 'market to test; asked for if left out', {
        otherwise: 'the stored one with the longest stretch',
      }),
    )
    .addOption(
      option('--period <from..to>', 'period to test, as 2025-01-01..2025-03-01', {
        otherwise: 'the longest stored stretch of fine candles',
      }),
    )
    .option('--fit-budget', 'set the base order so that a ladder costs the capital')
    .option('--example <name>', `start from an example: ${examples().join(', ')}`)
  withExamples(withCandles(withJson(command)), [
    'dcalab study init my-ladder --market binance/ETH-USDT --period 2025-06-01..2025-08-01',
    'dcalab study init my-crash --example btc-may-2021',
  ]).action((name: string | undefined, options: InitOptions) => initStudy(context, name, options))
}

async function initStudy(context: Context, given: string | undefined, options: InitOptions): Promise<void> {
  const [{ starterStudy }, { isStudyName }, { studyJsonSchema }] = await Promise.all([
    import('../../../workbench/study/starter.ts'),
    import('../../../workbench/study/parse.ts'),
    import('../../../workbench/study/schema.ts'),
  ])
  const { example } = options
  if (given !== undefined && !isStudyName(given)) {
    throw new Failure('usage', `a study's name is a-z, 0-9 and dashes, at most 64 of them; found "${given}"`)
  }
  if (example !== undefined && (options.market ?? options.period) !== undefined) {
    throw new Failure('usage', '--market and --period are for the starter: an example has its own', {
      hint: `leave them out here, and give them to \`dcalab run ${given ?? example} --market … --period …\` later`,
    })
  }
  const data =
    example === undefined ? await chooseData(context, pathsOf(context, options).candlesFolder, options) : undefined
  const name = given ?? example ?? freeName(data)
  if (name === undefined || !isStudyName(name)) {
    throw new Failure('usage', 'study init needs a name for the new study', {
      hint: `for instance \`dcalab study init my-ladder\`; or give --example with one of ${examples().join(', ')}`,
    })
  }
  const begun = example === undefined ? starterStudy(name, data) : readExample(context, example, name)
  const path = `studies/${name}.yaml`
  const text = options.fitBudget
    ? (await import('../../../workbench/study/fit-budget.ts')).fitBudget(begun, path)
    : begun
  writeNew(path, text)
  const { terminal } = context.system
  if (!writeSchema(studyJsonSchema())) {
    say(terminal, `${SCHEMA_PATH} is from another version. Renew it: \`dcalab study schema > ${SCHEMA_PATH}\``)
  }
  if (options.json) return printJson(terminal, { path, schema: SCHEMA_PATH })
  const isStudy = /^name:/m.test(text)
  context.suggestNext(`dcalab ${isStudy ? 'study check' : 'backtest'} ${shellWord(path)}`)
  return printLines(terminal, [path])
}

/** `eth-usdt`, or `eth-usdt-2` where that is taken; undefined without a market. */
function freeName(data: StarterData | undefined): string | undefined {
  if (data === undefined) return undefined
  const { baseAsset, quoteAsset } = data.market
  const name = `${baseAsset}-${quoteAsset}`.toLowerCase().replace(/[^a-z0-9-]/g, '')
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${name}-${n}`
    if (!existsSync(`studies/${tried}.yaml`)) return tried
  }
}

/** An example under another name: `name:` is changed, everything else stays. */
function readExample(context: Context, example: string, name: string): string {
  if (!examples().includes(example)) {
    throw new Failure('usage', `--example: there is no example "${example}"`, {
      hint: `there are ${examples().join(', ')}`,
    })
  }
  const text = readFileSync(new URL(`${example}.yaml`, context.studiesFolder), 'utf8')
  return text.replace(/^name: .*$/m, `name: ${name}`)
}

function writeNew(path: string, text: string): void {
  try {
    mkdirSync('studies', { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (cause) {
    const exists = isExisting(cause)
    const reason = exists ? 'it exists already' : cause instanceof Error ? cause.message : String(cause)
    throw new Failure('usage', `cannot write ${path}: ${reason}`, { cause, hint: 'choose another name or folder' })
  }
}

/** Writes the schema when there is none. @returns false when another schema is there, which is not changed */
function writeSchema(schema: unknown): boolean {
  try {
    writeFileSync(SCHEMA_PATH, `${JSON.stringify(schema, null, 2)}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (!isExisting(error)) throw error
    return withoutSpaces(readFileSync(SCHEMA_PATH, 'utf8')) === withoutSpaces(JSON.stringify(schema))
  }
}

/** Compares without spaces, because editors and formatters change line breaks. */
function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '')
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

interface GivenData {
  readonly market?: string
  readonly period?: string
  readonly json?: boolean
}

/** undefined = nothing is stored and no market was given. @throws Failure usage */
async function chooseData(context: Context, folder: string, given: GivenData): Promise<StarterData | undefined> {
  const [{ listCandles }, { suggest }] = await Promise.all([
    import('../../../candles/folder/folder.ts'),
    import('../../../errors.ts'),
  ])
  const stored = listCandles(folder)
  const names = [...new Set(stored.map(({ market }) => market))]
  if (names.length === 0 && given.market === undefined) return undefined
  const { terminal } = context.system
  const usualMarket = await findUsualMarket(folder, stored)
  // One stored market is its own answer.
  const asks = names.length > 1 && terminal.inIsTerminal && terminal.errIsTerminal && !given.json
  if (asks && given.market === undefined) say(terminal, `stored markets: ${names.join(', ')}`)
  const market = await choose(context, { asks, what: 'market', given: given.market, usual: usualMarket })
  const { readMarkets, readPeriod } = await import('../../../workbench/study/rerun.ts')
  const [found] = readMarkets([market])
  const ofMarket = stored.filter((one) => one.market === market)
  if (ofMarket.length === 0) {
    say(terminal, `no candles stored for ${market}${suggest(market, names)}; the service may have its own`)
  }
  const usual = ofMarket.length === 0 ? undefined : await findUsualPeriod(folder, ofMarket)
  if (usual === undefined && given.period === undefined) return { market: found }
  const period = await choose(context, { asks, what: 'period', given: given.period, usual: usual ?? '' })
  const { from, to } = readPeriod(period)
  return { market: found, period: { from: shortTime(from), to: shortTime(to) } }
}

interface Choice {
  readonly asks: boolean
  readonly what: 'market' | 'period'
  readonly given: string | undefined
  readonly usual: string
}

async function choose(context: Context, { asks, what, given, usual }: Choice): Promise<string> {
  if (given !== undefined) return given
  const { terminal } = context.system
  if (!asks) {
    const why = what === 'period' ? ', the longest stored stretch of fine candles' : ''
    say(terminal, `${what}: ${usual}${why}; --${what} takes another`)
    return usual
  }
  return (await askPerson(context, `${what} [${usual}]: `)) || usual
}

const dayMs = 86_400_000

/** Coarser candles decide deals by guesses about what happened inside them (the warning `coarseCandles`). */
const COARSEST_MS = 15 * 60_000

/** Recorded before synthetic, then candles of 15 minutes at most before coarser ones, then the longest stretch. */
async function findUsualMarket(folder: string, stored: readonly StoredCandles[]): Promise<string> {
  const { longestGapless } = await import('../../../candles/folder/gapless.ts')
  const measured = stored.map((one) => {
    const run = longestGapless(folder, one.market, one.interval)
    return { ...one, isFine: INTERVALS[one.interval] <= COARSEST_MS, length: run === undefined ? 0 : run.to - run.from }
  })
  const [best] = measured.sort(
    (a, b) => Number(a.synthetic) - Number(b.synthetic) || Number(b.isFine) - Number(a.isFine) || b.length - a.length,
  )
  return best?.market ?? ''
}

/** The longest stretch without a gap, `2025-05-20..2025-08-18`: whole days of UTC where there are two at least. */
async function findUsualPeriod(folder: string, ofMarket: readonly StoredCandles[]): Promise<string | undefined> {
  const { longestGapless } = await import('../../../candles/folder/gapless.ts')
  const fine = ofMarket.filter(({ interval }) => INTERVALS[interval] <= COARSEST_MS)
  const runs = (fine.length > 0 ? fine : ofMarket).flatMap(
    ({ market, interval }) => longestGapless(folder, market, interval) ?? [],
  )
  const [longest] = runs.sort((a, b) => b.to - b.from - (a.to - a.from))
  if (longest === undefined) return undefined
  const days = { from: Math.ceil(longest.from / dayMs) * dayMs, to: Math.floor(longest.to / dayMs) * dayMs }
  const { from, to } = days.to - days.from >= 2 * dayMs ? days : longest
  return `${shortTime(from)}..${shortTime(to)}`
}

/** A date where the time is midnight, as a study file is read best. */
function shortTime(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace('.000Z', 'Z')
}
