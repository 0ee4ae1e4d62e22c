/** H57, H68: what the policy of the page stops even if it were in it, and that its charts offer no way out of the file. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import { closePages, findBrowser, openReport, sharedBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { buildReport } from './build-report.ts'
import { inputOf, smallSection } from './sections.ts'

const browserPath = findBrowser()

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  const folder = temporaryFolder()
  const page = buildReport(inputOf(smallSection()), readPageRuntime())
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
  })
  afterAll(async () => {
    await closePages(browser)
  })

  function fileOf(html: string): string {
    const file = join(folder, 'report.html')
    writeFileSync(file, html)
    return file
  }

  it('no chart has a menu, a link out or a form; clicks, keys and time make no request and open nothing', async () => {
    const { page: opened, trouble } = await openReport(browser, fileOf(page))
    const popups: unknown[] = []
    opened.on('popup', (popup) => popups.push(popup))
    expect(await opened.locator('.vega-actions, .vega-embed details, .vega-embed summary').count()).toBe(0)
    expect(await opened.locator('a:not([href^="#"]), iframe, object, embed').count()).toBe(0)
    expect(await opened.locator('form > *').count()).toBe(0) // vega-embed makes an empty one for controls that we do not have
    for (const plot of await opened.locator('.plot svg').all()) {
      await plot.click({ force: true })
      await plot.click({ button: 'right', force: true })
      await opened.keyboard.press('Enter')
    }
    expect(popups).toEqual([])
    expect(trouble).toEqual([])
    await opened.close()
  })

  it('markup that got into the page all the same runs nothing, loads nothing and sends nothing', async () => {
    const hits: string[] = []
    const server = createServer((request, response) => {
      hits.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    const away = `http://127.0.0.1:${address.port}`
    const smuggled = `<script>alert('script');document.title='owned'</script><img src="${away}/x" onerror="alert('handler')">
      <a id="link" href="javascript:alert('link')">x</a><iframe srcdoc="<script>parent.alert('frame')</script>"></iframe>
      <form action="${away}/form"><button id="send">x</button></form><base href="${away}/">
      <style>body { background: url(${away}/style) }</style><link rel="stylesheet" href="${away}/css">
      <script src="data:text/javascript,alert('data')"></script><object data="${away}/object"></object>`
    const spoilt = page.replace('<noscript>', `${smuggled}<noscript>`)
    expect(spoilt).not.toBe(page)
    const { page: opened, trouble } = await openReport(browser, fileOf(spoilt))
    expect(await opened.title()).not.toBe('owned')
    const sent = await opened.evaluate(`fetch('${away}/fetch').then(() => 'sent', () => 'stopped')`)
    expect(sent).toBe('stopped')
    await opened.evaluate("for (const id of ['link', 'send']) document.getElementById(id).click()")
    // Each of them is on the console as stopped by the policy; none had its effect, and none reached the network.
    expect(trouble.filter((words) => words.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(10)
    expect(trouble.filter((words) => words.startsWith('dialog'))).toEqual([])
    await opened.close()
    await new Promise((resolve) => server.close(resolve))
    expect(hits).toEqual([])
  })
})
