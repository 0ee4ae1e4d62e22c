import type { Context } from './context.ts'

/** What a person answers at the terminal, without spaces around it. @throws the signal's reason on an interrupt */
export async function askPerson({ signal }: Pick<Context, 'signal'>, question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises') // few commands ask, and loading it takes all of them a while
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await prompt.question(question, { signal })).trim()
  } finally {
    prompt.close()
  }
}
