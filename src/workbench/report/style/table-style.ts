/** Style of the filter, the live table and the menus that save what is seen. */
export const TABLE_STYLE = `
[data-works] ~ .still { display: none; }
.filtered { margin-top: 4.5rem; }
.filtered > section:first-of-type { margin-top: 1.5rem; }
.filter-bar { position: sticky; top: 0; z-index: 6; display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; padding: 0.55rem 0; font-size: 0.9rem; background: var(--paper); border-bottom: 1px solid var(--line-strong); }
.filtered :is(h2, h3, h4) { scroll-margin-top: calc(var(--bar-height, 4rem) - 3.25rem); }
.filter-bar label { color: var(--muted); }
.filter-bar input { flex: 1 1 11rem; min-width: 8rem; max-width: 34rem; font: inherit; padding: 0.35rem 0.65rem; min-height: 2.25rem; color: var(--ink); background: var(--paper); border: 1px solid var(--muted); border-radius: 5px; }
.filter-bar input[aria-invalid="true"] { border-color: var(--loss); border-style: dashed; }
.filter-bar output { color: var(--muted); white-space: nowrap; margin-right: auto; }
.filter-bar button, .column-picker button, .exports button { font: inherit; min-height: 2.25rem; padding: 0.2rem 0.75rem; color: var(--ink); background: var(--paper); border: 1px solid var(--line-strong); border-radius: 5px; cursor: pointer; }
.filter-bar button:hover, .column-picker button:hover, .exports button:hover { background: var(--panel); }
.filter-bar [hidden], [data-live="table"] [hidden] { display: none; }
.filter-bar .problem { flex-basis: 100%; max-width: none; margin: 0; color: var(--loss); overflow-wrap: anywhere; }
.filter-bar .problem:empty { display: none; }
.filter-bar .problem::before { content: "\\26A0\\00A0"; }
.chips { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 0.35rem; max-height: 5.5rem; margin: 0; padding: 0; overflow-y: auto; list-style: none; }
.filter-bar .chips button { min-height: 1.9rem; padding: 0.1rem 0.6rem; font-size: 0.82rem; border-radius: 1rem; background: var(--panel); overflow-wrap: anywhere; }
.filter-bar .chips .ignored { border: 1px dashed var(--loss); }
.chips button::after { content: "\\00A0\\00D7"; color: var(--muted); }
.column-picker { flex-basis: 100%; }
.column-picker summary { width: max-content; padding: 0.4rem 0; cursor: pointer; }
.column-picker fieldset { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: 0 1rem; margin: 0.6rem 0 0; padding: 0; border: 0; }
.column-picker legend { float: left; width: 100%; padding: 0; }
.column-picker label { display: block; padding: 0.2rem 0; color: var(--ink); overflow-wrap: anywhere; }
.column-picker input { width: auto; margin: 0 0.3rem 0 0; vertical-align: -0.1rem; }
.column-picker button { margin: 0.3rem 0.4rem 0 0; }
.ranking[role="grid"] { table-layout: fixed; min-width: 100%; }
.ranking caption { position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%); }
.ranking { font-size: 0.8rem; }
.ranking th, .ranking td { padding: 0.36rem 0.4rem; }
.ranking thead th { position: sticky; top: 0; z-index: 2; padding: 0; background: var(--paper); border-bottom: 1px solid var(--line-strong); }
.ranking thead button { font: inherit; color: inherit; display: block; width: 100%; height: 100%; padding: 0.5rem 0.4rem; text-align: right; line-height: 1.25; background: none; border: 0; cursor: pointer; overflow-wrap: break-word; }
.ranking thead th:nth-child(2) button { text-align: left; }
.ranking thead button:hover { color: var(--ink); }
.ranking thead button:focus-visible { outline-offset: -2px; }
.ranking thead small { display: block; }
.ranking thead button::after { content: ""; display: block; height: 1em; line-height: 1; }
.ranking thead [aria-sort="ascending"] button, .ranking thead [aria-sort="descending"] button { color: var(--ink); font-weight: 640; }
.ranking thead [aria-sort="ascending"] button::after { content: "\\2191"; }
.ranking thead [aria-sort="descending"] button::after { content: "\\2193"; }
.ranking tbody tr { height: 34px; cursor: pointer; }
.ranking tbody tr.outside, .ranking tbody tr.noValue { height: 50px; }
.ranking tbody tr.group { height: 44px; }
.ranking tbody tr.space { height: auto; }
.ranking tbody tr:not([data-trial]) { cursor: auto; }
.ranking tbody td, .ranking tbody th { overflow: hidden; white-space: nowrap; line-height: 1.35; vertical-align: middle; }
.ranking tbody tr.outside > *, .ranking tbody tr.noValue > * { vertical-align: top; border-right-color: transparent; }
.ranking .space td { padding: 0; border: 0; }
.ranking thead th:nth-child(1), .ranking tbody td:first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); }
.ranking tbody .space td:first-child, .ranking .group th { position: static; }
.ranking thead th:nth-child(2), .ranking tbody th[scope="row"] { position: sticky; left: var(--rank-width); z-index: 1; background: var(--paper); border-right: 1px solid var(--line); }
.ranking thead th { z-index: 2; } .ranking thead th:nth-child(1), .ranking thead th:nth-child(2) { z-index: 3; }
.ranking tbody th[scope="row"] { overflow: visible; }
.ranking tbody th small { position: absolute; left: 0.4rem; bottom: 0.3rem; width: var(--reason-width); overflow: hidden; text-overflow: ellipsis; font-size: 0.75rem; line-height: 1.25; pointer-events: none; }
.ranking .group th { padding-top: 0.8rem; background: var(--paper); color: var(--muted); font-weight: 600; }
.ranking .group th span { position: sticky; left: 0.4rem; }
.ranking tbody tr:not(.ranked) td, .ranking tbody tr:not(.ranked) th { color: var(--muted); }
.ranking tbody tr.best td, .ranking tbody tr.best th[scope] { background: color-mix(in srgb, var(--best) 9%, var(--paper)); }
.ranking tbody tr:hover td, .ranking tbody tr:hover th[scope="row"] { background: var(--panel); }
.ranking tbody tr[aria-selected="true"] td, .ranking tbody tr[aria-selected="true"] th[scope="row"] { background: color-mix(in srgb, var(--accent) 16%, var(--paper)); font-weight: 640; }
.ranking tbody tr[aria-selected="true"] td:first-child { box-shadow: inset 4px 0 0 var(--accent); }
.ranking:focus-visible { outline: none; }
.ranking:focus-visible .active td, .ranking:focus-visible .active th { border-top: 2px solid var(--accent); border-bottom: 2px solid var(--accent); }
.ranking:focus-visible thead th { border-bottom-color: var(--accent); }
.trials-still { font-size: 0.8rem; }
.trials-still td { text-align: right; white-space: nowrap; }
.trials-still th small { display: block; font-size: 0.75rem; white-space: normal; }
.trials-still tbody:not(.ranked) { color: var(--muted); }
.matrix td:nth-child(3) { min-width: 15rem; }
.matrix td small { display: block; white-space: nowrap; }
.matrix td.first a { padding: 0 0.4rem; border: 2px solid var(--best); border-radius: 1rem; }
.matrix td.first small:last-child { font-weight: 640; }
.failures { margin-top: 1.5rem; }
.failures summary { cursor: pointer; padding: 0.5rem 0; }
figure { position: relative; }
.exports { margin-top: 0.4rem; font-size: 0.85rem; }
.exports summary { width: max-content; color: var(--muted); cursor: pointer; }
.exports button { margin: 0.3rem 0.4rem 0 0; }
@media (min-width: 46.01rem) and (min-height: 40rem) {
  .filter-bar { top: 45px; }
  .filtered :is(h2, h3, h4) { scroll-margin-top: calc(var(--bar-height, 4rem) - 0.4rem); }
}
@media (max-width: 46rem) {
  .filter-bar label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .filter-bar { gap: 0.3rem 0.4rem; }
  .filter-bar input { flex-basis: 100%; }
  .chips { flex-wrap: nowrap; overflow: auto hidden; }
  .chips li { flex: none; }
  .ranking { font-size: 0.75rem; }
  .ranking td, .ranking tbody th, .ranking thead button { padding-left: 0.25rem; padding-right: 0.25rem; }
  .ranking tbody th small { left: 0.25rem; }
  .matrix td:nth-child(3) { min-width: 9rem; font-size: 0.75rem; overflow-wrap: anywhere; }
}
@media (pointer: coarse) {
  .ranking tbody tr.ranked, .ranking tbody tr.sample { height: 44px; }
  .filter-bar input, .filter-bar button, .filter-bar .chips button, .column-picker button, .exports button, .ranking thead button { min-height: 44px; min-width: 44px; }
  .column-picker summary, .column-picker label, .exports summary, .failures summary { min-height: 44px; padding: 0.6rem 0; }
  .matrix td a { display: inline-block; min-height: 44px; padding: 0.6rem 0; }
  .matrix td.first a { padding: 0.6rem 0.6rem; }
}
@media print {
  .filter-bar, [data-live="table"], .exports { display: none; }
  .still, [data-works] ~ .still { display: block; }
  .trials-still { font-size: 7pt; }
  .trials-still th, .trials-still td { padding: 0.12rem 0.2rem; }
}
`
