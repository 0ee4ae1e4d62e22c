/** What every `bots` command works with: the service under the trading pair if there is one, and the owner of the bots. */
import { Failure } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { CommonOptions, Context } from './context.ts'
import { type ServiceLink, withService } from './service-link.ts'
import { pathsOf, withOpenStore } from './workbench.ts'

export async function withBots<T>(
  context: Context,
  options: CommonOptions,
  work: (link: ServiceLink, store: Store) => Promise<T>,
): Promise<T> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withOpenStore(context, path, (store) =>
    withService(context, { store, candlesFolder, trade: true }, (link) => work(link, store)),
  )
}

/** @throws Failure settingInvalid when no owner is set */
export function ownerOf({ userEmail }: ServiceLink): string {
  if (/^\S+@\S+$/.test(userEmail)) return userEmail
  throw new Failure('settingInvalid', 'DCALAB_USER_EMAIL must name the owner of the bots')
}
