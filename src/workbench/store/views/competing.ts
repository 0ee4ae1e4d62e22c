/** SQL for who competes in the ranking of a study, for the view and for readers. */

/** Columns `markets` and `is_screen` of a definition; one that an older program kept says neither, and had one market and no search. */
export const COMPETITION_TERMS = `coalesce(json_array_length(definition_json, '$.markets'), 1) as markets,
  coalesce(json_extract(definition_json, '$.search.method') = 'screen', 0) as is_screen`

/** SQL for whether a trial was chosen by a screen. Each argument is SQL for a value. */
export function isChosen(of: { study: string; definition: string; identity: string; trial: string }): string {
  return `exists (select 1 from proposal p where p.fingerprint = ${of.trial} and p.study = ${of.study}
    and p.study_fingerprint = ${of.definition} and p.identity = ${of.identity} and p.role = 'chosen')`
}

/** For a statement over `study_trial m` that is asked about an `OnService`. */
export const CHOSEN_OF_STUDY = {
  study: ':study',
  definition: ':fingerprint',
  identity: ':identity',
  trial: 'm.fingerprint',
}
