import { MOMENT } from './trial-tables.ts'

/** Layout 15: the letters by which jobs of this store are known from those that other stores sent with the same key. */
export const storeLetters = `
create table store_letters (
  -- The last part of the names of the jobs that this store sends. No row = none was sent since names have letters.
  one integer primary key check (one = 1),
  letters text not null check (length(letters) = 6),
  file text not null, -- host and file number of the store that drew them: a copy of it draws its own
  drawn_at text not null check (drawn_at glob ${MOMENT})
) strict, without rowid;
`
