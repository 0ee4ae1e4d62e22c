/** `dcalab serve keys`: issue, list and revoke keys of the embedded service, whether it runs or not. */
import type { Command } from 'commander'
import { SCOPES, type Scope } from '../../../contract/endpoints.ts'
import { Failure } from '../../../errors.ts'
import { type Context, withExamples, withJson } from '../../context.ts'
import { option } from '../../option.ts'
import { printJson, printLines, say } from '../../output.ts'
import { RESEARCHER, readyServiceStore } from '../../service-link.ts'
import { fittingTable } from '../../table.ts'

interface KeysOptions {
  readonly json?: boolean
  readonly store?: string
  readonly email?: string
  readonly scope?: readonly string[]
  readonly address?: readonly string[]
}

export function addServeKeys(serve: Command, context: Context): void {
  const keys = serve.command('keys').description('issue, list and revoke keys of the embedded service')
  withExamples(keys, ['dcalab serve keys issue --scope read', 'dcalab serve keys list'])
  const issue = keys
    .command('issue')
    .description('issue a new pair of keys, shown once')
    .addOption(option('--email <address>', 'account', { otherwise: RESEARCHER }))
    .addOption(option('--scope <scope...>', `any of ${SCOPES.join(' ')}`, { otherwise: 'all' }))
    .addOption(option('--address <ip...>', 'addresses the key may be used from', { otherwise: 'any' }))
    .option('--store <file>', 'service store')
  withExamples(withJson(issue), [
    'dcalab serve keys issue --scope read CanUseLab',
    'dcalab serve keys issue --email colleague@localhost --json',
  ]).action((options: KeysOptions) =>
    withKeyring(context, options, async (keyring) => {
      const userEmail = options.email ?? context.settings().userEmail ?? RESEARCHER
      const pair = keyring.issueKeys({
        userEmail,
        ...(options.scope === undefined ? {} : { scopes: options.scope.map(checkScope) }),
        ...(options.address === undefined ? {} : { addresses: options.address }),
      })
      const shown = { ...pair, userEmail }
      const { terminal } = context.system
      if (options.json) return printJson(terminal, shown)
      return printLines(terminal, [`DCALAB_API_KEY=${pair.apiKey}`, `DCALAB_SECRET_KEY=${pair.secretKey}`])
    }),
  )
  const list = keys
    .command('list')
    .description('list keys by their first characters')
    .option('--store <file>', 'service store')
  withExamples(withJson(list), ['dcalab serve keys list', 'dcalab serve keys list --json']).action(
    (options: KeysOptions) =>
      withKeyring(context, options, async (keyring) => {
        const rows = keyring.listKeys()
        const { terminal } = context.system
        if (options.json) return printJson(terminal, rows)
        return printLines(
          terminal,
          fittingTable(rows, [
            { title: 'key', role: 'id', value: (row) => row.prefix },
            { title: 'account', value: (row) => row.userEmail },
            { title: 'scopes', value: (row) => row.scopes.join(' ') },
            { title: 'addresses', role: 'varied', value: (row) => row.addresses?.join(' ') ?? 'any' },
            { title: 'issued', value: (row) => row.issuedAt },
            { title: 'revoked', role: 'alarm', value: (row) => row.revokedAt },
          ]),
        )
      }),
  )
  const revoke = keys
    .command('revoke')
    .description('revoke a key: its next request is refused')
    .argument('<key>', 'the key’s first characters as `serve keys list` shows them')
    .option('--store <file>', 'service store')
  withExamples(withJson(revoke), [
    'dcalab serve keys revoke dk_3fa94c01',
    'dcalab serve keys revoke dk_3fa94c01 --json',
  ]).action((prefix: string, options: KeysOptions) =>
    withKeyring(context, options, async (keyring) => {
      if (!keyring.revokeKey(prefix)) {
        throw new Failure('notFound', `no key in force begins with "${prefix}"`, {
          hint: '`dcalab serve keys list` shows them',
        })
      }
      const { terminal } = context.system
      return options.json ? printJson(terminal, { revoked: prefix }) : say(terminal, `revoked ${prefix}`)
    }),
  )
}

async function withKeyring(
  context: Context,
  options: KeysOptions,
  work: (keyring: import('../../../service/start.ts').Keyring) => Promise<void>,
): Promise<void> {
  const { openKeyring } = await import('../../../service/start.ts')
  const storePath = await readyServiceStore(options.store ?? context.settings().serviceStore)
  const keyring = openKeyring({ system: context.system, storePath })
  try {
    await work(keyring)
  } finally {
    keyring.close()
  }
}

function checkScope(text: string): Scope {
  const scope = SCOPES.find((name) => name === text)
  if (scope !== undefined) return scope
  throw new Failure('usage', `--scope expects any of ${SCOPES.join(' ')}, found "${text}"`)
}
