/** The current definition of a study, straight from the tables: an analyst may keep something else under the name of a view. */

/** SQL for whether a row of `study` is the current definition of its name: the last of a file, never a rerun. */
export function isCurrent(table: string): string {
  return `${table}.fingerprint = (
    select l.fingerprint from study l where l.name = ${table}.name and l.rerun_json is null order by l.saved_at desc, l.fingerprint limit 1)`
}

/** One row per study: study, fingerprint, definition_json. */
export const CURRENT_STUDIES = `(select c.name as study, c.fingerprint, c.definition_json from study c where ${isCurrent('c')})`
