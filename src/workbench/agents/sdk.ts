/** The optional package that speaks the protocol: loaded when an agent is served, and by nothing else. */
import { Failure } from '../../errors.ts'

export interface Sdk {
  readonly Server: typeof import('@modelcontextprotocol/sdk/server/index.js').Server
  readonly StdioServerTransport: typeof import('@modelcontextprotocol/sdk/server/stdio.js').StdioServerTransport
  readonly types: typeof import('@modelcontextprotocol/sdk/types.js')
}

/** @param load for a test without the package. @throws Failure packageMissing */
export async function loadSdk(load: () => Promise<Sdk> = loadInstalled): Promise<Sdk> {
  try {
    return await load()
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw cause
    throw new Failure(
      'packageMissing',
      'dcalab mcp needs the package @modelcontextprotocol/sdk, which is not installed',
      {
        cause,
      },
    )
  }
}

async function loadInstalled(): Promise<Sdk> {
  const [{ Server }, { StdioServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return { Server, StdioServerTransport, types }
}
