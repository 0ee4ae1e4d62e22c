/** Fourteenth layout: which runs an agent asked for, so that what agents spend is counted over restarts. */
export const fourteenthLayout = `
alter table study_run add column asked_by text check (asked_by in ('agent')); -- agent = through dcalab mcp; null = a person
`
