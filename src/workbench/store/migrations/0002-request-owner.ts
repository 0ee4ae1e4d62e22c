/** The second layout: requests carry who made them, so that those of a dead process need not be waited for. */
export const secondLayout = `
alter table request add column owner text; -- the process that made it (owner.ts); null = made by an older version
`
