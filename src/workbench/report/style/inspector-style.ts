/** The inspector: a drawer at the right of a wide screen, a sheet over a narrow one. */
export const INSPECTOR_STYLE = `
.inspector { position: fixed; z-index: 8; inset: 0; overflow: auto; overscroll-behavior: contain; background: var(--paper); }
.inspector[hidden] { display: none; }
.inspector [hidden] { display: none !important; }
@media (min-width: 68.75rem) { .inspector { left: auto; width: min(54rem, 64vw); border-left: 1px solid var(--line-strong); box-shadow: -6px 0 28px rgb(0 0 0 / 0.13); } }
.inspector-bar { position: sticky; top: 0; z-index: 3; display: flex; align-items: center; gap: 0.4rem; padding: 0.4rem clamp(0.9rem, 3vw, 1.5rem); background: var(--paper); border-bottom: 1px solid var(--line-strong); }
.inspector-bar h2 { flex: 1; min-width: 0; margin: 0; font-size: 1.15rem; overflow-wrap: anywhere; outline: none; }
.inspector-contents .tab-row { display: flex; gap: 0.2rem; overflow-x: auto; scrollbar-width: none; position: relative; }
.inspector-contents { position: sticky; top: calc(44px + 0.8rem + 1px); z-index: 3; padding: 0 clamp(0.5rem, 3vw, 1.1rem); background: var(--paper); border-bottom: 1px solid var(--line); }
.inspector .inspector-contents button { flex: none; padding: 0.3rem 0.5rem; font-size: 0.85rem; color: var(--muted); border: 0; } .inspector .inspector-contents [aria-current] { color: var(--ink); box-shadow: inset 0 -2px var(--accent); border-radius: 0; }
.inspector-body { padding: 0.9rem clamp(0.9rem, 3vw, 1.5rem) 4rem; }
.inspector section { margin-top: 2.5rem; scroll-margin-top: 7rem; content-visibility: auto; contain-intrinsic-size: auto 30rem; }
.inspector h3 { margin-bottom: 0.5rem; }
.inspector button { font: inherit; min-width: 44px; min-height: 44px; padding: 0.3rem 0.7rem; color: var(--ink); background: var(--paper); border: 1px solid var(--line-strong); border-radius: 6px; cursor: pointer; }
.inspector button:hover { background: var(--panel); } .inspector button:disabled { color: var(--faint); cursor: default; }
.inspector .config { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0 0 0.9rem; font-size: 0.9rem; }
.inspector .config > div { padding: 0.2rem 0.6rem; border: 1px solid var(--line); border-radius: 5px; }
.inspector .config dt { font-size: 0.78rem; color: var(--muted); } .inspector .config dd { margin: 0; font-variant-numeric: tabular-nums; }
.no-such-trial { margin: 1.5rem clamp(0.9rem, 3vw, 1.5rem); } .inspector:not(.of-no-trial) .no-such-trial, .of-no-trial :is(.inspector-body, .inspector-contents) { display: none; }
.inspector .unknown { color: var(--muted); white-space: normal; }
.local-run { margin: 0 0 1rem; padding: 0.6rem 0.9rem; background: var(--panel); border-left: 4px solid var(--line-strong); border-radius: 0 5px 5px 0; font-size: 0.92rem; }
.local-run p { margin: 0; max-width: none; } .local-run.exact { border-color: var(--gain); } .local-run.differs { border-color: var(--loss); }
.local-run p + p { margin-top: 0.25rem; overflow-wrap: anywhere; }
.commands { display: flex; flex-wrap: wrap; gap: 0.3rem 1.25rem; }
.copyable { display: flex; align-items: center; gap: 0.6rem; max-width: 100%; }
.copyable pre { flex: 1; min-width: 0; margin: 0.4rem 0; padding: 0.7rem 0.9rem; overflow: auto; background: var(--panel); border-radius: 5px; font: 0.8rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
.inspector .copyable button { padding: 0.2rem 0.6rem; font-size: 0.8rem; }
.inspector table { width: 100%; font-size: 0.82rem; }
.inspector thead th:not(:first-child) { text-align: right; }
.inspector .scroll tbody th { white-space: nowrap; } .inspector .all-metrics tbody th { white-space: normal; }
.inspector tr.outside td, .inspector tr.outside th { color: var(--muted); }
.inspector tr.chosen td, .inspector tr.chosen th { background: color-mix(in srgb, var(--best) 9%, var(--paper)); }
.inspector .toolbar { margin: 0.3rem 0 0.6rem; } .inspector .toolbar p { margin: 0; }
.inspector .buttons { display: flex; gap: 0.35rem; }
.what-if-result { overflow-x: auto; } .spoken { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.what-if-result td.what-if { font-weight: 640; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 0 1.75rem; margin: 1rem 0 0.5rem; }
.field { display: grid; grid-template-columns: minmax(0, 1fr) 7rem; align-items: center; column-gap: 0.75rem; padding: 0.25rem 0; border-bottom: 1px solid var(--line); font-size: 0.88rem; }
.field label { grid-column: 1 / -1; color: var(--muted); overflow-wrap: anywhere; } .field label.changed { color: var(--best); font-weight: 640; } .field label.changed::after { content: " (changed)"; }
.field input { font: inherit; width: 100%; min-width: 0; min-height: 44px; margin: 0; color: var(--ink); accent-color: var(--best); }
.field input[type="text"] { padding: 0.2rem 0.5rem; background: var(--paper); border: 1px solid var(--line-strong); border-radius: 5px; text-align: right; }
.field input[aria-invalid="true"] { border: 2px solid var(--loss); }
.field output { grid-column: 1 / -1; min-height: 44px; line-height: 44px; }
.field .problem { grid-column: 1 / -1; margin: 0; font-size: 0.82rem; color: var(--loss); } .field .problem:empty { display: none; }
.field .beyond { grid-column: 1 / -1; margin: 0; font-size: 0.82rem; color: var(--muted); } .field .beyond:empty { display: none; }
.inspector .warnings { margin: 0.6rem 0; padding-left: 1.1rem; font-size: 0.88rem; } .inspector .warnings:empty { display: none; }
.inspector .legend { margin: 0.6rem 0 0; }
.key-chosen { color: color-mix(in srgb, var(--best) 40%, var(--paper)); } .key-base { color: var(--ink); } .key-safety-order { color: var(--accent); } .key-take-profit { color: var(--gain); } .key-stop { color: var(--loss); } .key-waiting { color: var(--faint); }
.deals-figure { scroll-margin-top: 7rem; }
.strip { position: relative; height: 44px; margin: 0.4rem 6px 0 2px; background: var(--panel); border-radius: 4px; cursor: crosshair; touch-action: pan-y; }
.strip svg { display: block; width: 100%; height: 100%; }
.strip path { fill: none; vector-effect: non-scaling-stroke; } .strip-price { stroke: var(--muted); stroke-width: 1; } .strip-deals { stroke: var(--accent); stroke-width: 3; }
.strip-window { position: absolute; top: 0; bottom: 0; background: color-mix(in srgb, var(--best) 14%, transparent); border: solid var(--best); border-width: 0 2px; pointer-events: none; }
:is(.neighbours, .starts)[aria-busy="true"] .plot { opacity: 0.2; }
.panel { margin: 0.6rem 0 0; } .panel figcaption { margin: 0 0 0.1rem; font-size: 0.8rem; }
.deal-list { max-height: 28rem; overflow: auto; } .deal-list button { width: 100%; } .deal-list tbody tr { cursor: pointer; } .deal-list tbody tr:hover { background: var(--panel); }
.deal-list thead button { font: inherit; color: inherit; text-align: inherit; background: none; border: 0; cursor: pointer; } .deal-list [aria-sort="ascending"] button::after { content: " \\2191"; } .deal-list [aria-sort="descending"] button::after { content: " \\2193"; }
.deal-list thead th { position: sticky; top: 0; z-index: 1; background: var(--paper); }
.inspector .numbers summary { min-height: 44px; padding: 0.6rem 0; }
.months { max-width: 34rem; } .months th { white-space: nowrap; } .month-track { position: relative; width: 60%; background: linear-gradient(var(--line-strong), var(--line-strong)) center / 1px 100% no-repeat; }
.month-bar { position: absolute; top: 0.4rem; bottom: 0.4rem; background: currentColor; border-radius: 2px; }
.month-bar.loss { background: repeating-linear-gradient(45deg, currentColor 0 3px, transparent 3px 5px); }
.all-metrics th, .all-metrics td { padding-block: 0.2rem; } .all-metrics th { white-space: normal; } .all-metrics summary { padding: 0.15rem 0; cursor: pointer; }
.all-metrics details { color: var(--muted); } .all-metrics summary { color: var(--ink); } .all-metrics [open] summary { font-weight: 640; }
.all-metrics.in-columns, .in-columns caption { display: block; } .in-columns thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.in-columns tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 0 2rem; }
.in-columns tr { display: flex; justify-content: space-between; gap: 0.75rem; border-bottom: 1px solid var(--line); } .in-columns tr:has([open]) { grid-column: 1 / -1; }
.in-columns :is(tbody th, td) { padding-inline: 0; border: 0; } .in-columns th { min-width: 0; overflow-wrap: anywhere; }
@media (pointer: coarse) { .all-metrics :is(th, td) { padding-block: 0; } .all-metrics summary { min-height: 44px; padding: 0.65rem 0; } .all-metrics td { padding-top: 0.65rem; } }
@media (max-width: 46rem) {
  .stacking, .stacking tbody, .stacking caption { display: block; } .stacking thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacking tr { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1rem; padding: 0.5rem 0; border-bottom: 1px solid var(--line-strong); }
  .stacking tbody :is(th, td) { display: flex; justify-content: space-between; gap: 0.5rem; padding: 0.15rem 0; border: 0; white-space: normal; }
  .stacking tbody th { grid-column: 1 / -1; font-weight: 640; } .stacking td::before { content: attr(data-head); color: var(--muted); text-align: left; }
  .inspector .stacking tbody th button { width: auto; } .deal-list { max-height: none; }
}
@media (max-width: 46rem) { .inspector section { margin-top: 2rem; } .inspector td, .inspector th { padding-left: 0.25rem; padding-right: 0.25rem; } }
@media print { .inspector { display: none; } }
`
