/** `dcalab limits`: the allowance in our ledger beside the service's own figures. */
import { isoOrNull } from '../bot-view.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { printJson, printLines } from '../output.ts'
import { timesShown } from '../reader-time.ts'
import { describeReopening } from '../run-progress.ts'
import { withService } from '../service-link.ts'
import { pathsOf, withOpenStore } from '../workbench.ts'

export const limitsCommand: Register = (program, context) => {
  const command = program
    .command('limits')
    .description('the backtest allowance and the request rate, by our ledger and by the service')
  withExamples(withCandles(withStore(command)), ['dcalab limits', 'dcalab limits --json']).action(
    async (options: CommonOptions) => {
      const [{ readAllowance, readWindow }, { readMinute }, { failureOf }] = await Promise.all([
        import('../../workbench/run/estimate.ts'),
        import('../../workbench/store/request-log.ts'),
        import('../../workbench/api/failure.ts'),
      ])
      const { store: path, candlesFolder } = pathsOf(context, options)
      const shown = await withOpenStore(context, path, (store) =>
        withService(context, { store, candlesFolder }, async ({ client, userEmail }) => {
          const reading = await client.identify()
          if (reading.kind !== 'ok') throw failureOf(reading, 'Reading the limits')
          const { identity, simulated, limits } = reading.value
          const spender = { identity, account: simulated ? userEmail : '' }
          const now = context.system.clock.wall()
          const ledger = readAllowance(store, { ...spender, now })
          const window = readWindow(store, { ...spender, limits, now })
          // The embedded service issues a new key at each start, so this is the first request with it.
          const key = context.settings().keys?.fingerprint()
          const minute = key === undefined ? null : readMinute(store, { key })
          const nextAt = isoOrNull(limits.nextAt)
          return {
            identity,
            ledger,
            minute,
            window,
            service: { ...limits, nextAt, source: nextAt === null ? null : ('reported' as const) },
          }
        }),
      )
      const { terminal } = context.system
      if (options.json) return printJson(terminal, shown)
      const { identity, ledger, minute, window, service } = shown
      const when = timesShown(terminal)
      return printLines(terminal, [
        `service   ${identity}`,
        [
          `ledger    ${ledger.used} of ${ledger.limit} used in ${ledger.windowHours} h, ${ledger.available} free`,
          ...describeReopening(ledger.nextAt, ledger.source, when),
        ].join('; '),
        [
          `it says   ${service.used ?? '?'} of ${service.limit ?? '?'} used, ${service.remaining ?? '?'} free`,
          ...describeReopening(service.nextAt, service.source, when),
        ].join('; '),
        `window    ${window === null ? 'not shown yet; counted as sliding, which is safe for every kind' : `${window.type}: ${window.evidence}`}`,
        ...(minute === null
          ? []
          : [
              `minute    ${minute.used} of ${minute.limit} requests` +
                (minute.waitMs === 0 ? '' : `, the next one fits in ${Math.ceil(minute.waitMs / 1000)} s`),
            ]),
      ])
    },
  )
}
