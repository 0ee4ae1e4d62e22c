/** Doubts as chips: a few words each with the number that says most, the weightiest first; what was found and what to do about it opens below. */
import type { KeptDoubt } from '../../../store/examinations.ts'
import { formatCount } from '../../format.ts'
import { type Html, html } from '../../html.ts'

/** `sign` tells the weights apart where colours do not. */
const WEIGHTS = [
  { weight: 'block', sign: '■', title: 'Blocks promotion' },
  { weight: 'warn', sign: '▲', title: 'Warns' },
  { weight: 'info', sign: '●', title: 'Worth knowing' },
] as const satisfies readonly { readonly weight: KeptDoubt['weight']; readonly sign: string; readonly title: string }[]

export function doubtChips(doubts: readonly KeptDoubt[]): Html {
  const groups = WEIGHTS.map((row) => ({ ...row, raised: doubts.filter(({ weight }) => weight === row.weight) }))
  return html`<div class="doubt-chips">${groups
    .filter(({ raised }) => raised.length > 0)
    .map(
      ({ weight, sign, title, raised }) => html`<div class="doubts-${weight}">
      <p class="doubts-title"><span aria-hidden="true">${sign}</span> ${title}<span class="visually-hidden">: ${formatCount(raised.length, 'doubt')}</span></p>
      <ul>${raised.map(({ code, short, message, hint }) => html`<li><details><summary title="${code}">${short}</summary><p>${message}. <span class="hint">${hint}</span></p></details></li>`)}</ul></div>`,
    )}</div>`
}
