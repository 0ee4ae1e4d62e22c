/** A Containerfile of the few instructions that the guide uses, carried out in a folder that stands for the image's root. */
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Ended, ended } from '../support/dcalab.ts'

interface Step {
  readonly kind: 'COPY' | 'ENV' | 'RUN' | 'WORKDIR'
  readonly text: string
}

export interface Image {
  readonly from: string
  readonly steps: readonly Step[]
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** `files`: what COPY finds, by its name. */
  build(root: string, files: Readonly<Record<string, string>>): Container
}

interface Container {
  /** `words` in place of its command; none = its command. */
  start(words: readonly string[]): Promise<Ended>
}

/** @throws Error at an instruction that it does not know */
export function readContainerfile(text: string): Image {
  const steps: Step[] = []
  const lists = { ENTRYPOINT: [] as string[], CMD: [] as string[] }
  let from = ''
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, kind, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (kind === 'FROM') from = rest
    else if (kind === 'ENTRYPOINT' || kind === 'CMD') lists[kind] = JSON.parse(rest)
    else if (kind === 'COPY' || kind === 'ENV' || kind === 'RUN' || kind === 'WORKDIR') steps.push({ kind, text: rest })
    else throw new Error(`unknown instruction: ${line}`)
  }
  const { ENTRYPOINT: entrypoint, CMD: command } = lists
  return {
    from,
    steps,
    entrypoint,
    command,
    build: (root, files) => build(root, { files, steps, entrypoint, command }),
  }
}

const longestMs = 300_000

interface Plan extends Pick<Image, 'steps' | 'entrypoint' | 'command'> {
  readonly files: Readonly<Record<string, string>>
}

function build(root: string, { files, steps, entrypoint, command }: Plan): Container {
  // Absolute paths of the image lie below the folder.
  const placed = (path: string) => path.replace(/(?<![\w.$}])\/(?=opt|lab)/g, `${root}/`)
  const env: Record<string, string> = { PATH: process.env.PATH ?? '' }
  let cwd = root
  for (const { kind, text } of steps) {
    if (kind === 'WORKDIR') {
      cwd = placed(text)
      mkdirSync(cwd, { recursive: true })
    } else if (kind === 'COPY') {
      const [name, target] = text.split(' ')
      copyFileSync(files[name], join(cwd, target))
    } else if (kind === 'RUN') {
      // The way to the registry (a proxy, a certificate) is the machine's, as it is for who builds an image.
      const stdio = ['ignore', 'ignore', 'inherit'] as const
      execFileSync('/bin/sh', ['-c', text], {
        cwd,
        env: { ...process.env, ...env },
        stdio: [...stdio],
        timeout: longestMs,
      })
    } else {
      const [name, value] = text.split('=')
      env[name] = placed(value).replace(/\$(\w+)/g, (_, variable: string) => env[variable] ?? '')
    }
  }
  return {
    start: (words) => {
      const [first, ...rest] = [...entrypoint, ...(words.length > 0 ? words : command)]
      return ended(spawn(first, rest, { cwd, env: { HOME: root, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }))
    },
  }
}
