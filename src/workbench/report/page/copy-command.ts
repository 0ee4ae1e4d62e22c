/** The command of the next step gets a button that copies it, where the browser lets a page do so. */

export function offerCopy(place: HTMLElement): void {
  const command = place.querySelector('code')?.textContent
  if (command === undefined || command === null || !('clipboard' in navigator)) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy ${command}`)
  const said = document.createElement('span')
  said.className = 'small'
  said.setAttribute('role', 'status')
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(command).then(
      () => (said.textContent = 'copied'),
      () => (said.textContent = 'this browser does not let pages copy: select it instead'),
    )
  })
  place.append(button, said)
}
