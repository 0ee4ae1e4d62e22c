/**
 * One test, two lengths. `npm test` checks a share of what is asked (days, kills, cases); `LONG=1` in front of the same command, or
 * `npm run test:reliability` and `npm run test:engine`, check all of it. Files that use it stand in a list of `test/projects.ts`.
 */
export const isLong = process.env.LONG === '1'

/** What this run checks. */
export function share<T>({ usual, long }: { readonly usual: T; readonly long: T }): T {
  return isLong ? long : usual
}

/** As names of tests write it: 1,000. */
export function inWords(count: number): string {
  return count.toLocaleString('en')
}
