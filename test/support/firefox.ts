/** The system's Firefox, spoken to by WebDriver BiDi over its own socket: as much of it as a test needs that opens a file and asks the page. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './folder.ts'

const NAMES = ['firefox-esr', 'firefox']

/** The path of a Firefox on PATH, or undefined (with a message). */
export function findFirefox(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync)
  if (found === undefined) process.stderr.write('skipped: needs Firefox on PATH (apt-get install firefox-esr)\n')
  return found
}

export interface Firefox {
  /** Opens a file in a window of 1280 × 900. */
  readonly open: (file: string) => Promise<void>
  /** What an expression of the page comes to, as soon as that is a text that is not empty. */
  readonly textOf: (expression: string) => Promise<string>
  /** What was said on the console as a warning or an error, and every request but for the file itself. */
  readonly trouble: () => readonly string[]
  readonly close: () => Promise<void>
}

/** A message of the browser; of its many parts those that are read here. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly message?: string
  readonly params?: {
    readonly level?: string
    readonly text?: string | null
    readonly request?: { readonly url: string }
  }
  readonly result?: {
    readonly contexts?: readonly { readonly context: string }[]
    readonly result?: { readonly value?: unknown }
    readonly exceptionDetails?: { readonly text: string }
  }
}

export async function launchFirefox(executablePath: string): Promise<Firefox> {
  const process = spawn(
    executablePath,
    ['--headless', '--no-remote', '--profile', temporaryFolder(), '--remote-debugging-port', '0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const socket = new WebSocket(`${await socketOf(process)}/session`)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const events: Message[] = []
  const waiting = new Map<number, (answer: Message) => void>()
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message // as the protocol has it; a part that is missing is undefined
    const answer = message.id === undefined ? undefined : waiting.get(message.id)
    if (answer === undefined) events.push(message)
    else answer(message)
  })
  let sent = 0
  const send = async (method: string, params: object = {}): Promise<NonNullable<Message['result']>> => {
    const id = ++sent
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const { result, message } = await answer
    if (result === undefined) throw new Error(`Firefox refused ${method}: ${message}`)
    return result
  }
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] })
  const { contexts = [] } = await send('browsingContext.getTree')
  const [{ context }] = contexts
  await send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 900 } })
  return {
    async open(file) {
      await send('browsingContext.navigate', { context, url: pathToFileURL(file).href, wait: 'complete' })
    },
    async textOf(expression) {
      for (;;) {
        const frame = `new Promise(requestAnimationFrame).then(() => ${expression})`
        const answer = await send('script.evaluate', { expression: frame, target: { context }, awaitPromise: true })
        if (answer.exceptionDetails !== undefined) throw new Error(answer.exceptionDetails.text)
        const value = answer.result?.value
        if (typeof value === 'string' && value !== '') return value
      }
    },
    trouble: () => events.flatMap(troubleIn),
    async close() {
      const ended = new Promise((resolve) => process.on('exit', resolve))
      await send('browser.close')
      await ended
      socket.close()
    },
  }
}

/** Where it listens, which it says on stderr. */
function socketOf(process: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [, address] = /WebDriver BiDi listening on (ws:\S+)\s/.exec(said) ?? []
      if (address !== undefined) resolve(address)
    })
    process.on('exit', (code) => reject(new Error(`Firefox ended with ${code}: ${said}`)))
  })
}

/** Firefox asks for a font of its own when it starts, by an address that holds it. */
function troubleIn({ method, params }: Message): string[] {
  if (method === 'log.entryAdded')
    return params?.level === 'warn' || params?.level === 'error' ? [params.text ?? ''] : []
  const url = params?.request?.url ?? ''
  return method !== 'network.beforeRequestSent' || /^(?:data|file|about):/.test(url) ? [] : [`request ${url}`]
}
