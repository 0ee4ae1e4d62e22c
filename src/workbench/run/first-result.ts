/** Whether a result of the service was read whose numbers agree with each other, as a run knows it. `check-results.ts` finds out. */

export class FirstResult {
  #isAwaited: boolean
  #checked: number | null = null
  #listed: ReadonlySet<string> = new Set()

  constructor({ isAwaited }: { readonly isAwaited: boolean }) {
    this.#isAwaited = isAwaited
  }

  /** No result of the service has been read yet whose numbers agree. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  noteRead(): void {
    this.#isAwaited = false
  }

  /** The service's list shows these jobs of ours. */
  noteListed(jobs: readonly string[]): void {
    if (this.#isAwaited) this.#listed = new Set([...this.#listed, ...jobs])
  }

  isListed(job: string): boolean {
    return this.#listed.has(job)
  }

  /** Answers whether results up to this job are news. */
  isNews(latestJob: number): boolean {
    const isNews = this.#checked !== latestJob
    this.#checked = latestJob
    return isNews
  }
}
