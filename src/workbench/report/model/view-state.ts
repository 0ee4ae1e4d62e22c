/** What a reader has chosen in one section, as it stands in the page's address, so that a link or a reload shows the same. Pure. */
import { CONFIG_FIELDS, type ConfigField } from '../../../contract/bot.ts'
import { FINGERPRINT_DIGITS } from './blocks.ts'

export interface ViewState {
  /** As typed (`filter.ts`). */
  readonly filter: string
  /** A column, `rank` or `id`; null = by rank. */
  readonly sort: { readonly by: string; readonly descending: boolean } | null
  /** The id of the trial that is open, or what a wrong address has in their place; null = none is. */
  readonly trial: string | null
  /** Fields of the heat map that is shown large. */
  readonly pair: readonly [ConfigField, ConfigField] | null
  readonly aggregate: 'mean' | 'best' | 'count'
  /** Columns of the table that the reader picked; null = the usual ones. */
  readonly columns: readonly string[] | null
  /** The ids of the trials that are compared, at most `MOST_PINS`. */
  readonly pins: readonly string[]
  /** What if: fields of the open trial with other values; empty = none. */
  readonly change: Readonly<Partial<Record<ConfigField, number>>>
}

export const AT_REST: ViewState = {
  filter: '',
  sort: null,
  trial: null,
  pair: null,
  aggregate: 'mean',
  columns: null,
  pins: [],
  change: {},
}

/** More lines than these cannot be told apart. */
export const MOST_PINS = 4

/** The keys of one section in the address; `prefix` keeps those of several apart. Writes only what is not at rest. */
export function writeState(to: URLSearchParams, prefix: string, state: ViewState): void {
  const put = (name: string, value: string): void => {
    if (value === '') to.delete(prefix + name)
    else to.set(prefix + name, value)
  }
  put('filter', state.filter.trim())
  put('sort', state.sort === null ? '' : `${state.sort.descending ? '-' : ''}${state.sort.by}`)
  put('trial', state.trial ?? '')
  put('pair', state.pair?.join(',') ?? '')
  put('show', state.aggregate === 'mean' ? '' : state.aggregate)
  put('pins', state.pins.join(','))
  put('columns', state.columns?.join(',') ?? '')
  put(
    'if',
    Object.entries(state.change)
      .map(([field, value]) => `${field}=${value}`)
      .join(' '),
  )
}

/** Whatever stands in the address: what is not understood is at rest. */
export function readState(from: URLSearchParams, prefix: string): ViewState {
  const get = (name: string) => from.get(prefix + name) ?? ''
  const [, minus, by] = /^(-?)([A-Za-z0-9.]{1,64})$/.exec(get('sort')) ?? []
  const pair = get('pair').split(',').filter(isField)
  const show = get('show')
  const columns = get('columns')
    .split(',')
    .filter((name) => /^[A-Za-z0-9.]{1,64}$/.test(name))
  return {
    filter: get('filter').slice(0, 2000),
    sort: by === undefined ? null : { by, descending: minus === '-' },
    trial: /^[0-9A-Za-z]{1,64}$/.exec(get('trial'))?.[0].slice(0, FINGERPRINT_DIGITS) ?? null,
    pair: pair.length === 2 ? [pair[0], pair[1]] : null,
    aggregate: show === 'best' || show === 'count' ? show : 'mean',
    columns: columns.length > 0 ? columns : null,
    pins: get('pins')
      .split(',')
      .filter((name) => /^[0-9a-f]{1,64}$/.test(name))
      .map((name) => name.slice(0, FINGERPRINT_DIGITS))
      .slice(0, MOST_PINS),
    change: readChange(get('if')),
  }
}

function readChange(text: string): ViewState['change'] {
  const pairs = text.split(/\s+/).map((pair) => pair.split('='))
  return Object.fromEntries(
    pairs.flatMap(([field, value]) =>
      isField(field) && value !== undefined && value !== '' && Number.isFinite(Number(value))
        ? [[field, Number(value)]]
        : [],
    ),
  )
}

function isField(text: string): text is ConfigField {
  return CONFIG_FIELDS.some((field) => field === text)
}
