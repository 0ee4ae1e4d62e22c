/** The recipes for many machines, as the guide has them: run here, or started as their scheduler would start them. */

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readSettings } from '../../src/cli/settings.ts'
import { readPartNumber } from '../../src/workbench/screen/parts/part-number.ts'
import { behindTalk } from '../support/behind-messages.ts'
import { comparableScreen } from '../support/comparable-screen.ts'
import { type Desk, type Ended, ended, program, projectRoot } from '../support/dcalab.ts'
import { deskInProcess, program as programIn } from '../support/program.ts'
import { readRecipes } from '../support/recipes.ts'
import { share } from '../support/share.ts'

const recipes = readRecipes('many-machines.md')
const recipesPage = readFileSync(join(projectRoot, 'src/guide/many-machines.md'), 'utf8')

function recipe(name: string): string {
  const found = recipes.get(name)
  if (found === undefined) throw new Error(`the guide has no recipe "${name}"`)
  return found
}

/** The guide's twenty parts of many points at length; four of a quarter of them by the same lines with another number in them. */
const { parts, killed, scales, points, best } = share({
  usual: { parts: 4, killed: 3, scales: { from: 0.2, to: 1.8, step: 0.4 }, points: '2,400', best: 117 },
  long: { parts: 20, killed: 7, scales: { from: 0.2, to: 2.1, step: 0.1 }, points: '9,600', best: 200 },
})

const study = {
  name: 'many',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20 },
  grid: {
    takeProfit: { from: 0.2, to: 1.7, step: 0.5 },
    dcaPriceScalePercent: scales,
    dcaVolumeScale: [1, 1.2, 1.4, 1.6],
    dcaPriceStepMultiplier: [1, 1.2],
    dcaMaxSafetyOrders: [0, 1, 2, 4, 8],
    stopLoss: [0, 3, 6],
  },
  objective: { maximize: 'netProfit', where: { closedDeals: { min: 2 } } },
}

let at: Desk
beforeAll(async () => {
  at = deskInProcess()
  const market = 'candles generate --market synthetic/T-USDT --from 2024-01-01 --days 2'.split(' ')
  await at.dcalab([...market, '--seed', '1'])
  await at.dcalab([...market, '--seed', '2', '--candles-dir', 'other'])
  writeFileSync(join(at.folder, 'study.yaml'), JSON.stringify(study))
  // The recipes call `dcalab` by its name. One part is killed the first time it is begun.
  const bin = join(at.folder, 'bin')
  mkdirSync(bin)
  const begun = `"${process.execPath}" "${program}" "$@"`
  writeFileSync(
    join(bin, 'dcalab'),
    `#!/bin/sh\ncase "$*" in *"--part ${killed}/"*) if mkdir killed 2>/dev/null; then ${begun} & kill -9 $!; wait $!; exit 137; fi;; esac\nexec ${begun}\n`,
  )
  chmodSync(join(bin, 'dcalab'), 0o755)
})

/** A recipe in the working folder, by the shell. */
function run(file: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { PATH: `${join(at.folder, 'bin')}:${process.env.PATH ?? ''}`, HOME: at.folder, ...variables }
  return ended(spawn(file, [...args], { cwd: at.folder, env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

function parallelIsHere(): boolean {
  try {
    return execFileSync('parallel', ['--version'], { encoding: 'utf8' }).includes('GNU parallel')
  } catch {
    return false
  }
}

const hasParallel = parallelIsHere()
if (!hasParallel) console.log('skipped: GNU parallel is not installed (apt-get install parallel)')

const parallelRecipe = (name: string) =>
  recipe(name).replaceAll('{}/20', `{}/${parts}`).replaceAll('$(seq 20)', `$(seq ${parts})`)

describe.skipIf(!hasParallel)(`GNU parallel, ${parts} parts of ${points} points`, () => {
  it('a killed part is missing, runs again, and the merged top 200 is the single run’s with every metric', async () => {
    const single = await at.dcalab(['screen', 'study.yaml', '--top', '200', '--json'])
    const expected = comparableScreen(single.stdout)

    const first = await run('sh', ['-c', parallelRecipe('parallel')])
    expect(first.code).toBe(2)
    expect(first.stderr).toContain(
      `lacks 1 of ${parts} parts: --array=${killed} (Slurm; counted from 0, as Kubernetes and AWS Batch do: ${killed - 1})`,
    )

    const again = await run('sh', ['-c', parallelRecipe('parallel again')])
    expect(again.code).toBe(0)
    expect(again.stdout).toContain(`part ${killed} of ${parts}`)
    expect(again.stdout).not.toContain(`part ${killed + 1} of ${parts}`)
    const merged = await at.dcalab(['screen', 'merge', 'parts', '--json'])
    expect(comparableScreen(merged.stdout)).toEqual({ ...expected, parts: { n: parts, missing: [] } })
    expect(JSON.parse(merged.stdout).top).toHaveLength(best) // as many as behave differently

    const part = `screen study.yaml --part 3/${parts} --top 200 --workers 2 --out parts --json`.split(' ')
    const before = JSON.parse((await at.dcalab([...part])).stdout)
    await at.dcalab([...part, '--candles-dir', 'other'])
    const refused = await at.dcalab(['screen', 'merge', 'parts'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/003-of-0(?:04|20)\.part.*other candles of synthetic\/T-USDT/)
    expect(JSON.parse((await at.dcalab([...part])).stdout).hash).toBe(before.hash)
    const twice = await at.dcalab(['screen', 'merge', 'parts', '--json', '--workers', '1'])
    expect(comparableScreen(twice.stdout)).toEqual({ ...expected, parts: { n: parts, missing: [] } })
  })
})

describe('a scheduler that numbers its tasks', () => {
  const slurm = () => recipe('slurm')

  it('Slurm: the script is a shell script with the directives of an array, and a task of it screens its part', async () => {
    writeFileSync(join(at.folder, 'parts.sh'), slurm())
    const directives = [...slurm().matchAll(/^#SBATCH --([a-z-]+)(?:=(\S+))?$/gm)].map(([, name]) => name)
    expect(directives).toEqual(['job-name', 'array', 'cpus-per-task', 'mem', 'time', 'requeue'])
    expect(slurm()).toContain('#SBATCH --array=1-20')
    const task = await run('sh', ['parts.sh'], { SLURM_ARRAY_TASK_ID: '20' })
    expect(task).toMatchObject({ code: 0, stdout: expect.stringContaining('part 20 of 20') })
    const beyond = await run('sh', ['parts.sh'], { SLURM_ARRAY_TASK_ID: '0' })
    expect(beyond).toMatchObject({ code: 2, stderr: expect.stringContaining('expected a number from 1 to 20') })
  })

  it('Kubernetes: an Indexed Job by its fields, and a pod of it screens its part', async () => {
    const quantity = z.string().regex(/^\d+(?:Mi|Gi)?$/)
    const job = z.strictObject({
      apiVersion: z.literal('batch/v1'),
      kind: z.literal('Job'),
      metadata: z.strictObject({ name: z.string().regex(/^[a-z0-9-]+$/) }),
      spec: z.strictObject({
        completionMode: z.literal('Indexed'),
        completions: z.literal(20),
        parallelism: z.int().min(1),
        backoffLimit: z.int().min(1),
        template: z.strictObject({
          spec: z.strictObject({
            restartPolicy: z.enum(['Never', 'OnFailure']),
            containers: z.tuple([
              z.strictObject({
                name: z.string(),
                image: z.string(),
                workingDir: z.string(),
                command: z.array(z.string()),
                resources: z.strictObject({
                  requests: z.strictObject({ cpu: quantity, memory: quantity }),
                  limits: z.strictObject({ memory: quantity }),
                }),
                volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })),
              }),
            ]),
            volumes: z.array(
              z.strictObject({
                name: z.string(),
                persistentVolumeClaim: z.strictObject({ claimName: z.string() }),
              }),
            ),
          }),
        }),
      }),
    })
    const [{ command, volumeMounts }] = job.parse(parse(recipe('kubernetes'))).spec.template.spec.containers
    expect(volumeMounts.map(({ name }) => name)).toEqual(['work'])
    const [file, ...args] = command
    const pod = await run(file, args, { JOB_COMPLETION_INDEX: '0' })
    expect(pod).toMatchObject({ code: 0, stdout: expect.stringContaining('part 1 of 20') })
    const beyond = await run(file, args, { JOB_COMPLETION_INDEX: '20' })
    expect(beyond).toMatchObject({ code: 2, stderr: expect.stringContaining('expected a number from 0 to 19') })
  })

  it('GitHub Actions: as many jobs as parts, and each hands its number over', async () => {
    const { part } = parse(recipe('actions')).jobs
    expect(part.strategy.matrix.part).toHaveLength(20)
    const steps: readonly { run?: string }[] = part.steps
    const command = steps.flatMap((step) => (step.run === undefined ? [] : [step.run]))
    const variables = Object.entries<string>(part.env).map(([name, value]) => [
      name,
      value.replace(/^\$\{\{ strategy\.job-index \}\}$/, '0'),
    ])
    const task = await run('sh', ['-c', command.join('\n')], Object.fromEntries(variables))
    expect(task).toMatchObject({ code: 0, stdout: expect.stringContaining('part 1 of 20') })
  })

  it.each([
    ['PBS_ARRAY_INDEX', 1],
    ['LSB_JOBINDEX', 1],
    ['SGE_TASK_ID', 1],
    ['BATCH_TASK_INDEX', 0],
    ['CLOUD_RUN_TASK_INDEX', 0],
    ['NOMAD_ALLOC_INDEX', 0],
  ])('%s counts from %i; what it says outside an array is no part', (variable, first) => {
    const tasksOf = (value: string) => readSettings({ [variable]: value }, undefined).arrayTasks
    expect(readPartNumber('auto/20', tasksOf(String(first)))).toEqual({ number: 1, of: 20 })
    expect(readPartNumber('auto/20', tasksOf(String(first + 19)))).toEqual({ number: 20, of: 20 })
    expect(() => readPartNumber('auto/20', tasksOf(String(first + 20)))).toThrow(`expected a number from ${first} to`)
    expect(() => readPartNumber('auto/20', tasksOf('undefined'))).toThrow('no scheduler says')
    expect(recipesPage).toContain(`\`${variable}\``)
  })

  it('HTCondor and AWS Batch: the same command, told its number by a variable; two numbers are none', async () => {
    const args = /^arguments\s+= (.*)$/m.exec(recipe('condor'))?.[1].split(' ') ?? []
    expect(recipe('condor')).toContain('environment = "JOB_COMPLETION_INDEX=$(Process)"')
    const task = await run('dcalab', args, { AWS_BATCH_JOB_ARRAY_INDEX: '4' })
    expect(task).toMatchObject({ code: 0, stdout: expect.stringContaining('part 5 of 20') })
    const both = { AWS_BATCH_JOB_ARRAY_INDEX: '4', SLURM_ARRAY_TASK_ID: '7' }
    expect(await run('dcalab', args, both)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SLURM_ARRAY_TASK_ID=7, AWS_BATCH_JOB_ARRAY_INDEX=4'),
    })
    expect(await run('dcalab', args)).toMatchObject({ code: 2, stderr: expect.stringContaining('no scheduler says') })
  })
})

describe('a part that is foreseen', () => {
  const screen = (...args: readonly string[]) =>
    programIn(join(at.folder, 'data'))(['screen', join(at.folder, 'study.yaml'), ...args])
  const foresee = (...args: readonly string[]) => screen('--dry-run', ...args)

  it('says the points that the part then has, CPU and memory, and that a part under a minute is not worth its beginning', async () => {
    const part = ['--part', '2/3', '--workers', '1']
    const said = JSON.parse((await foresee(...part, '--json')).out)
    const out = join(at.folder, 'foreseen')
    const { configs, of } = JSON.parse((await screen(...part, '--out', out, '--json')).out)
    expect(said).toMatchObject({ part: { i: 2, n: 3 }, configs, of, workers: 1, fewerParts: 1 })
    expect(said.sampled).toBeGreaterThan(0)
    expect(said.sampled).toBeLessThanOrEqual(configs)
    expect(said.cpuSeconds.all).toBeGreaterThan(said.cpuSeconds.begin)
    expect(said.memoryBytes).toBeGreaterThan(20e6)
    const { out: lines } = await foresee(...part)
    expect(lines).toContain(`part 2 of 3: ${configs} of ${of} configurations; nothing is screened`)
    expect(lines).toMatch(/about [\d.]+ s of CPU, [\d.]+ s of it to begin, and [\d.]+ MB of memory on one thread/)
    expect(lines).toContain('parts this small mostly load candles; use 1 part')
    expect(readdirSync(out)).toHaveLength(1)
  })

  it('is asked for with the number of a part', async () => {
    expect(await foresee()).toMatchObject({
      code: 2,
      err: expect.stringContaining('--dry-run needs --part'),
    })
    expect(await foresee('--part', '4/3')).toMatchObject({ code: 2, err: expect.stringContaining('from 1 to 3') })
  })
})

describe('where the candles are not', () => {
  it('a merge says that the best cannot be measured, and which candles it needs', async () => {
    for (const part of ['1/2', '2/2']) await at.dcalab(['screen', 'study.yaml', '--part', part, '--out', 'bare'])
    const elsewhere = deskInProcess()
    mkdirSync(join(elsewhere.folder, 'bare'))
    for (const name of readdirSync(join(at.folder, 'bare')))
      copyFileSync(join(at.folder, 'bare', name), join(elsewhere.folder, 'bare', name))
    const { code, stderr } = await elsewhere.dcalab(['screen', 'merge', 'bare', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(behindTalk(stderr)).error).toMatchObject({
      code: 'candlesMissing',
      message: expect.stringContaining('all 2 parts are here, but their best cannot be ranked or measured'),
      hint: expect.stringMatching(/candles of synthetic\/T-USDT are \(1m, hash [0-9a-f]{12}…\)/),
    })
    expect(existsSync(join(elsewhere.folder, 'data'))).toBe(false)
  })
})
