/** Views of what a study varies: the value of every field of every trial, and which trials lie next to each other. */
import { CONFIG_COLUMNS } from '../config-columns.ts'
import { type Columns, sinceLayout, type View } from './column.ts'
import { CURRENT_STUDIES } from './current-study.ts'
import { CONFIG_NAMES, configValueOf } from './number-columns.ts'
import { shared, trialDigits } from './shared-columns.ts'

const PARAMETERS_SINCE = 8

const VALUE = configValueOf('t', 'p.column1')

const studyAndTrial: Columns = {
  ...shared('d', 'study'),
  ...shared('m', 'fingerprint'),
  ...trialDigits('m.fingerprint'),
}

const columnName: Columns = {
  column_name: {
    sql: 'p.column1',
    unit: 'text',
    meaning: 'the field, as the views name its column: take_profit_percent',
    whenNull: null,
  },
  field: { sql: 'p.column2', unit: 'text', meaning: 'the field, as study files and the API name it', whenNull: null },
}

export const parametersView: View = {
  rows: "One row per trial of a study's current definition and field of its configuration.",
  columns: sinceLayout(PARAMETERS_SINCE, {
    ...studyAndTrial,
    ...columnName,
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
  }),
  from: `from ${CURRENT_STUDIES} d
  join ${CONFIG_NAMES} p
  left join json_each(d.definition_json, '$.axes') x on json_extract(x.value, '$.field') = p.column2
  join study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint
  join trial t on t.fingerprint = m.fingerprint`,
}

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

export const neighboursView: View = {
  rows: 'One row per pair of trials of a study that differ in one varied field alone, by one step; each pair in both directions.',
  columns: sinceLayout(PARAMETERS_SINCE, {
    ...studyAndTrial,
    neighbour: {
      sql: 'substr(n.fingerprint, 1, 12)',
      unit: 'text',
      meaning: 'the other trial, its first 12 digits',
      whenNull: null,
    },
    neighbour_fingerprint: {
      sql: 'n.fingerprint',
      unit: 'text',
      meaning: 'the other trial, 64 hex digits',
      whenNull: null,
    },
    ...columnName,
    direction: {
      sql: `case when v.value > ${VALUE} then 'up' else 'down' end`,
      unit: 'text',
      meaning: 'up where the neighbour has the higher value, else down',
      whenNull: null,
    },
  }),
  from: `from ${CURRENT_STUDIES} d
  join json_each(d.definition_json, '$.axes') x
  join ${CONFIG_NAMES} p on p.column2 = json_extract(x.value, '$.field')
  join study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint
  join trial t on t.fingerprint = m.fingerprint
  join json_each(x.value, '$.values') v on v.value <> ${VALUE} and not exists (
    select 1 from json_each(x.value, '$.values') w
    where w.value > min(v.value, ${VALUE}) and w.value < max(v.value, ${VALUE}))
  cross join trial n on ${sameButForOne}
  join study_trial o on o.study = m.study and o.study_fingerprint = m.study_fingerprint and o.fingerprint = n.fingerprint`,
}
