/**
 * Deleting a job at the service. The unit it was paid with stays spent in our ledger, whatever the service makes of it. Some services
 * may count the deletion itself as a use of the allowance: unless the limits before and after it show that it was free, it counts.
 */
import type { JobOperations, ServiceIdentity } from '../api/calls.ts'
import type { PostOutcome } from '../api/outcome.ts'
import { recordDeleted } from '../store/jobs.ts'
import { findKnownJob } from '../store/known-jobs.ts'
import { recordForeignJobs } from '../store/ledger.ts'
import { type ServiceAccount, saveService } from '../store/services.ts'
import { type Store, write } from '../store/store.ts'
import { createServiceClock } from './service-clock.ts'

export interface Deletion {
  readonly store: Store
  readonly client: JobOperations
  /** As met just before: its limits are compared with those afterwards. */
  readonly service: ServiceIdentity
  readonly serviceAccount: ServiceAccount
  /** The service's id. */
  readonly jobId: string
}

/** Sends it once; the store then knows that the job is gone and, where it may have cost one, that a unit is. */
export async function deleteJob(deletion: Deletion): Promise<PostOutcome<{ readonly id: string }>> {
  const { store, client, service, serviceAccount, jobId } = deletion
  const outcome = await client.deleteJob(jobId)
  const clock = createServiceClock(store.clock)
  if ('raw' in outcome) clock.learn(outcome.raw)
  const known = findKnownJob(store, serviceAccount, jobId)
  if (outcome.kind === 'acked' && known !== undefined) {
    await recordDeleted(store, { jobId: known.id, at: clock.now() })
  }
  // Nothing left, or it was turned away before it could be counted.
  if (outcome.kind === 'notSent' || outcome.kind === 'refused') return outcome
  const after = await client.limits()
  const before = service.limits.used
  const used = after.kind === 'ok' ? after.value.used : null
  if (before !== null && used !== null && used <= before) return outcome
  await write(store, () => saveService(store, service, store.clock.wall()))
  const jobs = [{ remoteId: `deletion of ${jobId}`, name: null, countedAt: clock.now() }]
  await recordForeignJobs(store, { ...serviceAccount, jobs })
  return outcome
}
