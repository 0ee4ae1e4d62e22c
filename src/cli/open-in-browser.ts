/** Shows a file of this machine in the browser that the desktop opens such files with. */
import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'

export function openInBrowser(path: string): void {
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const child = spawn(opener, [pathToFileURL(path).href], { detached: true, stdio: 'ignore' })
  child.on('error', () => {}) // without a desktop nothing can be opened; the path is on stdout
  child.unref()
}
