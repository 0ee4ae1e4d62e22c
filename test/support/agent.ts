/** An agent's client, the SDK's own, at `dcalab mcp` in this process: its stdin and stdout are two pipes. */
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type Answer, type Program, program } from './program.ts'

export interface Agent {
  readonly client: Client
  /** What a tool answers. */
  tool(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>
  /** Ends the conversation, and with it the command. */
  leave(): Promise<Answer>
}

export interface ToolAnswer {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any command, which tests look into
  readonly body: any
}

/** `words`: options of `dcalab mcp`; `others`: as for `program`. */
export async function connectAgent(
  folder: string,
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  others: Omit<NonNullable<Parameters<typeof program>[2]>, 'streams'> = {},
): Promise<Agent & { readonly dcalab: Program }> {
  const toServer = new PassThrough()
  const toClient = new PassThrough()
  const dcalab = program(folder, environment, { ...others, streams: () => ({ input: toServer, output: toClient }) })
  const served = dcalab(['mcp', ...words])
  const client = new Client({ name: 'test', version: '1' })
  // The transport of a server is that of a client with the pipes the other way round.
  await Promise.race([
    client.connect(new StdioServerTransport(toClient, toServer)),
    served.then(({ err }) => {
      throw new Error(err)
    }),
  ])
  return {
    dcalab,
    client,
    async tool(name, given = {}) {
      const { isError, content } = await client.callTool({ name, arguments: given })
      const [{ text }] = Array.isArray(content) ? content : []
      return { isError: isError === true, body: JSON.parse(text) }
    },
    async leave() {
      toServer.end()
      return served
    },
  }
}
