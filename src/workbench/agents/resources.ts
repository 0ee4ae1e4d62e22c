/** What an agent may read to understand the answers: the rows from which our own pages are written. */
import { ASSUMPTIONS } from '../../contract/assumptions.ts'
import { METRICS } from '../../contract/metrics.ts'
import { COOKBOOK } from '../store/cookbook/cookbook.ts'
import { VIEW_ROWS } from '../store/views.ts'
import { studyJsonSchema } from '../study/schema.ts'

export interface AgentResource {
  readonly title: string
  readonly description: string
  readonly read: () => unknown
}

export const RESOURCES: Readonly<Record<string, AgentResource>> = {
  'dcalab://metrics': {
    title: 'Metrics',
    description: 'Every metric: its unit, which way is better, how it is defined, when it is null.',
    read: () => METRICS,
  },
  'dcalab://views': {
    title: 'Views',
    description: 'Every view that SQL may ask, with what a row is, and unit, meaning and nulls of each column.',
    read: () =>
      Object.fromEntries(
        Object.entries(VIEW_ROWS).map(([name, { rows, columns }]) => [
          name,
          {
            rows,
            columns: Object.fromEntries(
              Object.entries(columns).map(([column, { unit, meaning, whenNull }]) => [
                column,
                { unit, meaning, whenNull },
              ]),
            ),
          },
        ]),
      ),
  },
  'dcalab://assumptions': {
    title: 'Assumptions',
    description: 'What the API document leaves open, and our numbered answer to each.',
    read: () => ASSUMPTIONS,
  },
  'dcalab://questions': {
    title: 'Questions of the cookbook',
    description: 'Questions that sql knows by name, with their SQL and parameters.',
    read: () => COOKBOOK,
  },
  'dcalab://study-schema': {
    title: 'Schema of study files',
    description: 'The JSON Schema of what check, screen and run take as text.',
    read: studyJsonSchema,
  },
}
