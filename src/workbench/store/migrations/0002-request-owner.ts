/** The second layout: requests name their process, so that nobody waits for those of a process that has ended. */
export const secondLayout = `
alter table request add column owner text; -- the process that made it (owner.ts); null = made by an older version
`
