/** The view of what a study varies: the value of every field of every trial, and which trials lie next to it. */
import { CONFIG_COLUMNS } from '../config-columns.ts'
import type { Columns, View } from './column.ts'
import { CURRENT_STUDIES } from './current-study.ts'
import { CONFIG_NAMES, configValueOf } from './number-columns.ts'
import { shared, trialDigits } from './shared-columns.ts'

const VALUE = configValueOf('t', 'p.column1')

/** The same market, period and configuration but for the column `p`, where it has the value `v`: every part is found by one index,
 * once the value is known: hence the `cross join`, which SQLite does not reorder. */
const sameButForOne = ['market', 'period_from', 'period_to']
  .map((column) => `n.${column} = t.${column}`)
  .concat(
    Object.values(CONFIG_COLUMNS).map(
      (column) => `n.${column} = case p.column1 when '${column}' then v.value else t.${column} end`,
    ),
  )
  .join('\n    and ')

/** The trial that differs from `t` in the column `p` alone, by one step of `x`. */
function neighbour(side: 'lower' | 'higher'): Columns {
  const [best, beyond] = side === 'higher' ? ['min', '>'] : ['max', '<']
  return {
    [`${side}_fingerprint`]: {
      sql: `(select n.fingerprint from (select ${best}(w.value) as value from json_each(x.value, '$.values') w where w.value ${beyond} ${VALUE}) v
      cross join trial n on ${sameButForOne}
      join study_trial o on o.study = m.study and o.study_fingerprint = m.study_fingerprint and o.fingerprint = n.fingerprint)`,
      unit: 'text',
      meaning: `the trial of the study with the next ${side} value of this field and all others equal`,
      whenNull: 'where the study has none',
      since: 22,
    },
  }
}

export const parametersView: View = {
  rows: "One row per trial of a study's current definition and field of its configuration.",
  columns: {
    ...trialDigits('m.fingerprint'),
    ...shared('d', 'study'),
    revision: {
      sql: 'd.revision',
      unit: 'count',
      meaning: 'the current revision of the study',
      whenNull: null,
      since: 22,
    },
    ...shared('t', 'market', 'period_from', 'period_to'),
    column_name: {
      sql: 'p.column1',
      unit: 'text',
      meaning: 'the field, as the views name its column: take_profit_percent',
      whenNull: null,
    },
    field: { sql: 'p.column2', unit: 'text', meaning: 'the field, as study files and the API name it', whenNull: null },
    value: { sql: VALUE, unit: 'ratio', meaning: 'its value, in the unit of the column', whenNull: null },
    step: {
      sql: `(select case when count(*) > 1 then sum(v.value <= ${VALUE}) end from json_each(x.value, '$.values') v)`,
      unit: 'count',
      meaning: 'place of the value among those that the study tries, in rising order, from 1',
      whenNull: 'where the study does not vary the field',
    },
    is_varied: {
      sql: "coalesce(json_array_length(x.value, '$.values') > 1, 0)",
      unit: 'yes/no',
      meaning: 'the study tries several values of it',
      whenNull: null,
    },
    ...neighbour('lower'),
    ...neighbour('higher'),
    ...shared('m', 'fingerprint'),
  },
  from: `from ${CURRENT_STUDIES} d
  join ${CONFIG_NAMES} p
  left join json_each(d.definition_json, '$.axes') x on json_extract(x.value, '$.field') = p.column2
  join study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint
  join trial t on t.fingerprint = m.fingerprint`,
}
