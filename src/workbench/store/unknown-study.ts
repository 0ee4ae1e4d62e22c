/** What is said of a study that the store does not hold: with the one that was meant, where a name is near. */
import { Failure, suggest } from '../../errors.ts'
import { allRows } from '../../sqlite/statements.ts'
import type { Store } from './store.ts'
import { splitStudyName } from './study-records.ts'
import { query } from './tables.ts'

/** "; did you mean my-ladder?", or nothing where no name is near. */
export function suggestStudy(store: Store, text: string): string {
  return suggest(splitStudyName(text).name, namesOf(store))
}

/** @param more goes on with the sentence */
export function unknownStudy(store: Store, text: string, more = ''): Failure {
  const names = namesOf(store)
  const message = `the store holds no study "${text}"${more}${suggest(splitStudyName(text).name, names)}`
  if (names.length > 0) return new Failure('notFound', message)
  return new Failure('notFound', message, {
    hint: 'it holds none yet; begin one: `dcalab study init`, and run it: `dcalab run <file>`',
  })
}

function namesOf({ db }: Store): readonly string[] {
  return allRows(db, query.selectFrom('study').select('name').distinct()).map(({ name }) => name)
}
