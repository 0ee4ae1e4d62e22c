/** The system's Chromium, if there is one: tests that look at a page are skipped where it is absent. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of a Chromium on PATH or in the usual place, or undefined (with a message). */
export function findBrowser(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin']
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync)
  if (found === undefined) process.stderr.write('skipped: needs Chromium on PATH (apt-get install chromium)\n')
  return found
}

export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
