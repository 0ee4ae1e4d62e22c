/** The calls for what a bot does: executions, orders, profit and loss. */
import type { ActivityOperations } from './calls.ts'
import { pageOf, queryTime, readQuery, type ServiceLine, withSignal } from './line.ts'
import type { ListFound, PageAsked, Translate } from './reading/dialect.ts'
import { readExecution, readOrder, readPnlBody } from './reading/read-activity.ts'
import { readItems } from './reading/read-list.ts'
import type { ActivityPage } from './reading/readings.ts'
import type { Operation } from './wire/operations.ts'

export function makeActivityCalls({ dialect, read }: ServiceLine): ActivityOperations {
  const readPage = <T>(
    operation: Operation & PageAsked,
    { listOf, translate }: { listOf: (body: unknown, asked: PageAsked) => ListFound; translate: Translate },
    readItem: (item: unknown) => T | null,
    signal: AbortSignal | undefined,
  ) =>
    read<ActivityPage<T>>(
      operation,
      (body, reply) => {
        const { query } = operation
        const list = readItems(reply, { ...listOf(body, { query }), query, translate }, readItem)
        return list && { items: list.readings, next: list.next, unreadable: list.unreadable }
      },
      withSignal(signal),
    )
  return {
    listExecutions: (id, { limit, since, next, signal } = {}) => {
      const query =
        next === undefined ? dialect.executionListQuery({ limit, since: queryTime(since) }) : readQuery(next)
      return readPage(
        { endpoint: 'listExecutions', parameter: id, query, ...pageOf(next) },
        { listOf: dialect.executionList, translate: dialect.execution },
        readExecution,
        signal,
      )
    },
    listOrders: (id, { limit, state, next, signal } = {}) => {
      const query = next === undefined ? dialect.orderListQuery({ limit, state }) : readQuery(next)
      return readPage(
        { endpoint: 'listOrders', parameter: id, query, ...pageOf(next) },
        { listOf: dialect.orderList, translate: dialect.order },
        readOrder,
        signal,
      )
    },
    readPnl: (id, call) =>
      read(
        { endpoint: 'readPnl', parameter: id },
        (body, reply) => readPnlBody(dialect.pnl(body), reply.raw.text),
        call,
      ),
  }
}
