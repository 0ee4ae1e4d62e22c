/** Which job a person means: by its id, by the first characters of the id, or by its name. */
import { Failure } from '../../../errors.ts'
import type { JobReading } from '../../../workbench/api/reading/readings.ts'
import { collectPages } from '../../pages.ts'
import type { ServiceLink } from '../../service-link.ts'

/** What `<job>` may be. */
export const JOB_WORDS =
  'its id, 4 or more of its first characters (with or without what all ids begin with), or its name'

/** Of a longer list the newest are looked at. */
const MOST_JOBS = 1_000

/**
 * The id. The account's jobs are listed only where no job has this id; where none of them is meant, what was named comes back.
 * @throws Failure usage where several are meant
 */
export async function findJobId(
  client: Pick<ServiceLink['client'], 'readJob' | 'listJobs'>,
  named: string,
): Promise<string> {
  const outcome = await client.readJob(named)
  if (outcome.kind !== 'missing') return named
  const { FEWEST_CHARACTERS, isNamedBy } = await import('../../../workbench/api/id-beginning.ts')
  const { items } = await collectPages<JobReading>(MOST_JOBS, 'Listing the jobs', async (next) => {
    const page = await client.listJobs({ limit: MOST_JOBS, ...(next === undefined ? {} : { next }) })
    return page.kind === 'ok' ? { ...page, value: { ...page.value, items: page.value.jobs } } : page
  })
  const byName = items.filter(({ name }) => name === named)
  const found =
    byName.length > 0 || named.length < FEWEST_CHARACTERS ? byName : items.filter(({ id }) => isNamedBy(id, named))
  const [job, ...others] = found
  if (others.length === 0) return job?.id ?? named
  throw new Failure('usage', `"${named}" may be any of ${found.length} jobs`, {
    problems: found
      .slice(0, 10)
      .map(({ id, name, stateText }) => ({ place: id, message: `${name ?? '-'}, ${stateText}` })),
    hint: 'name one by its id',
  })
}
