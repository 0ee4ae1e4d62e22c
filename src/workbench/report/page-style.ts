import { VERDICT_STYLE } from './style/verdict-style.ts'

/** The report's style sheet. Colours are variables in one place each for light and dark; charts use the same ones. */
const OWN_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fcfcfa; --panel: #f5f4f0; --ink: #1b1e22; --muted: #5c636e; --faint: #8b929b;
  --line: #e8e6e0; --line-strong: #c9c8c2;
  --accent: #3b6ea8; --best: #7a35c9; --hold: #30363d;
  --gain: #0b6e66; --loss: #a8410d; --gain-soft: #4a9f93; --loss-soft: #d4793d;
  --series-bot: #7a35c9; --series-plain: #b97a06; --series-hold: #30363d;
  --heat-n5: #9c4310; --heat-n4: #cd6c35; --heat-n3: #eba06d; --heat-n2: #f5caa9; --heat-n1: #fbe8db;
  --heat-p1: #dceee9; --heat-p2: #b1dbd1; --heat-p3: #76bfb1; --heat-p4: #33958a; --heat-p5: #0b655d;
  --heat-ink-n5: #fff; --heat-ink-n4: #1d0c03; --heat-ink-n3: #35190a; --heat-ink-n2: #35190a; --heat-ink-n1: #35190a;
  --heat-ink-p1: #0d2c28; --heat-ink-p2: #0d2c28; --heat-ink-p3: #0d2c28; --heat-ink-p4: #04201c; --heat-ink-p5: #fff;
  --banner: #fdf3dc; --banner-line: #dcae3c;
}
@media screen and (prefers-color-scheme: dark) {
  :root:not([data-for-paper]) {
    --paper: #14171a; --panel: #1b1f23; --ink: #e6e7e8; --muted: #9ea6b0; --faint: #69727c;
    --line: #262b30; --line-strong: #434a52;
    --accent: #77aee0; --best: #bd93fa; --hold: #d5d9de;
    --gain: #4cc3b3; --loss: #f2965f; --gain-soft: #2f7f75; --loss-soft: #a75c2f;
    --series-bot: #bd93fa; --series-plain: #e0ad3f; --series-hold: #d5d9de;
    --heat-n5: #f59f62; --heat-n4: #c1703a; --heat-n3: #87502b; --heat-n2: #573823; --heat-n1: #35291f;
    --heat-p1: #1d302e; --heat-p2: #204a45; --heat-p3: #256d65; --heat-p4: #329a8d; --heat-p5: #5fd0c0;
    --heat-ink-n5: #2a1204; --heat-ink-n4: #1f0e04; --heat-ink-n3: #fbe6d7; --heat-ink-n2: #fbe6d7; --heat-ink-n1: #fbe6d7;
    --heat-ink-p1: #dcf3ef; --heat-ink-p2: #dcf3ef; --heat-ink-p3: #e8faf7; --heat-ink-p4: #04201c; --heat-ink-p5: #04201c;
    --banner: #2c2616; --banner-line: #b48a2a;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; scroll-padding-top: 4rem; }
body {
  margin: 0 auto; padding: 0 clamp(1rem, 4vw, 3rem) 6rem; max-width: 84rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
h1, h2, h3 { line-height: 1.2; text-wrap: balance; letter-spacing: -0.012em; }
h1 { font-size: clamp(1.9rem, 4.5vw, 2.75rem); font-weight: 680; margin: 0.2rem 0 1.25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.45rem; font-weight: 660; margin: 0 0 0.75rem; }
h3 { font-size: 1.15rem; font-weight: 640; margin: 0 0 0.75rem; }
p { margin: 0 0 1rem; max-width: 72ch; }
a { color: inherit; text-decoration-color: var(--line-strong); text-underline-offset: 0.2em; }
a:hover { text-decoration-color: currentColor; }
code { font: 0.9em/1 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; } code .word { display: inline-block; max-width: 100%; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.kicker { margin: 0; color: var(--muted); font-size: 0.85rem; letter-spacing: 0.04em; }
.small { font-size: 0.875rem; color: var(--muted); }
.gain { color: var(--gain); } .loss { color: var(--loss); }
section { margin-top: 3rem; }
article { margin-top: 5rem; padding-top: 2.5rem; border-top: 3px solid var(--ink); }
article > header h2 { font-size: 2rem; }
article section { margin-top: 3.5rem; }
.lead-in { font-size: 1.02rem; text-wrap: pretty; }
.empty { color: var(--muted); padding: 1rem 1.25rem; background: var(--panel); border-radius: 6px; }

.facts dt { color: var(--muted); font-size: 0.8rem; }
.banner { max-width: none; margin: 0 0 0.6rem; padding: 0.65rem 1rem; font-size: 0.92rem; background: var(--banner); border-left: 4px solid var(--banner-line); border-radius: 0 5px 5px 0; }
.banner.quiet { background: var(--panel); border-color: var(--line-strong); }
nav { font-size: 0.9rem; }
nav ol { display: flex; flex-wrap: wrap; gap: 0.3rem 1.5rem; margin: 0; padding: 0; list-style: none; }

.facts { margin: 0; font-size: 0.93rem; }
.facts > div { display: grid; grid-template-columns: minmax(9.5rem, 11.5rem) minmax(0, 1fr); gap: 1rem; padding: 0.45rem 0; border-bottom: 1px solid var(--line); }
.facts dt { font-size: inherit; overflow-wrap: anywhere; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.facts ul { margin: 0; padding-left: 1.1rem; }

.toolbar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; margin: 1rem 0 0.6rem; font-size: 0.9rem; color: var(--muted); }
.scroll { overflow-x: auto; position: relative; }
.scroll.tall { max-height: min(480px, 82vh); overflow: auto; border-top: 1px solid var(--line-strong); border-bottom: 1px solid var(--line-strong); }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: 0.85rem; line-height: 1.4; }
caption { text-align: left; color: var(--muted); font-size: 0.85rem; padding: 0.5rem 0; }
th { text-align: left; font-weight: 500; }
td { text-align: right; white-space: nowrap; }
th, td { padding: 0.38rem 0.6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { vertical-align: bottom; color: var(--muted); }
table code { white-space: nowrap; }
.plain .amount { white-space: nowrap; }
.plain td { text-align: left; white-space: normal; }
.plain .service { min-width: 9rem; max-width: 11rem; overflow-wrap: anywhere; }
.plain .words { min-width: 16rem; overflow-wrap: anywhere; }

figure { margin: 1.25rem 0 0; }
figcaption { max-width: 72ch; margin-top: 0.75rem; font-size: 0.875rem; color: var(--muted); }
.plot { width: 100%; min-height: 3rem; }
.plot svg { display: block; max-width: 100%; overflow: visible; }
.plot .mark-text text { paint-order: stroke; stroke-linejoin: round; }
.chart-bars { max-width: 46rem; margin-top: 2.75rem; }
.chart-heat .plot { max-width: 56rem; }
.chart-lines .mark-rect path:hover { fill: var(--ink); fill-opacity: 0.07; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0 0 0.9rem; padding: 0; list-style: none; font-size: 0.85rem; color: var(--muted); }
.legend li { display: flex; }
.legend .swatch { flex: none; margin-top: 0.33rem; }
.legend .line { margin-top: 0.6rem; } .legend .front { margin-top: 0.65rem; } .legend .tick { margin-top: 0.2rem; }
.chart-heat .legend { gap: 0.25rem 0.9rem; }
.swatch { display: inline-block; width: 0.75rem; height: 0.75rem; margin-right: 0.45rem; border-radius: 50%; vertical-align: -0.06rem; background: var(--accent); }
.swatch.best { background: var(--best); } .swatch.outside { background: var(--faint); } .swatch.hold { background: var(--hold); }
.swatch.diamond { border-radius: 1px; transform: rotate(45deg) scale(0.85); }
.swatch.front { height: 2px; border-radius: 0; vertical-align: 0.25rem; width: 1.1rem; }
.swatch.bar { border-radius: 2px; } .swatch.tick { width: 2px; height: 1rem; border-radius: 0; background: var(--ink); vertical-align: -0.16rem; }
.swatch.line { height: 3px; width: 1.25rem; border-radius: 0; vertical-align: 0.22rem; }
.series-bot { background: var(--series-bot); } .swatch.held-out { background: var(--line); box-shadow: inset 0 0 0 1px var(--line-strong); }
.swatch.series-plain { background: repeating-linear-gradient(90deg, var(--series-plain) 0 2px, transparent 2px 4px); }
.swatch.series-hold { background: repeating-linear-gradient(90deg, var(--series-hold) 0 5px, transparent 5px 8px); }
[class*="swatch heat-"] { border-radius: 2px; box-shadow: inset 0 0 0 1px rgb(128 128 128 / 0.25); }
.heat-n5 { background: var(--heat-n5); } .heat-n4 { background: var(--heat-n4); } .heat-n3 { background: var(--heat-n3); } .heat-n2 { background: var(--heat-n2); } .heat-n1 { background: var(--heat-n1); }
.heat-p1 { background: var(--heat-p1); } .heat-p2 { background: var(--heat-p2); } .heat-p3 { background: var(--heat-p3); } .heat-p4 { background: var(--heat-p4); } .heat-p5 { background: var(--heat-p5); }
.numbers { margin-top: 0.9rem; font-size: 0.875rem; }
.numbers summary { cursor: pointer; color: var(--muted); width: max-content; max-width: 100%; }
.numbers table { width: auto; }
#tooltip { position: fixed; z-index: 10; pointer-events: none; max-width: 24rem; padding: 0.55rem 0.75rem; font-size: 0.8rem; line-height: 1.45; color: var(--ink); background: var(--paper); border: 1px solid var(--line-strong); border-radius: 6px; box-shadow: 0 4px 18px rgb(0 0 0 / 0.14); }
#tooltip strong { display: block; margin-bottom: 0.2rem; }
#tooltip .pair { display: flex; justify-content: space-between; gap: 1.5rem; }
#tooltip .pair span:first-child { color: var(--muted); }
#tooltip[hidden] { display: none; }
h2:focus, h3:focus { outline: none; }
.skip { position: absolute; z-index: 7; padding: 0.6rem 0.9rem; background: var(--paper); border: 2px solid var(--accent); border-radius: 6px; }
.skip:not(:focus) { width: 1px; height: 1px; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin-top: 5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: 0.85rem; color: var(--muted); }

@media (max-width: 46rem) {
  section { margin-top: 3.25rem; }
  .facts > div { grid-template-columns: minmax(0, 8rem) minmax(0, 1fr); }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print {
  @page { size: A4 landscape; margin: 12mm; }
  body { padding: 0; max-width: none; font-size: 9pt; }
  nav, .on-screen, .numbers:not([open]) { display: none; }
  .scroll, .scroll.tall { overflow: visible; max-height: none; }
  table { font-size: 7.5pt; }
  th, td { padding: 0.15rem 0.3rem; }
  thead { display: table-header-group; }
  tr, figure { break-inside: avoid; }
  h2, h3, .market > summary { break-after: avoid; } .filtered { margin-top: 1.5rem; }
  section { margin-top: 2rem; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`

/** The report on paper: verdict, tables, charts and how sure, for somebody who was handed it. What only works on a screen is left out. */
const PRINT_STYLE = `
@media print {
  :root { --paper: #fff; --panel: #f6f6f4; font-size: 11.5px; }
  p, li { break-inside: avoid; }
  section:has(> .provenance) { break-before: page; margin-top: 0; }
  article { break-before: page; margin-top: 0; padding-top: 0; border-top: 0; }
  h4, .question, .lead-in, caption, thead, .legend, .group > summary, p:has(+ .group) { break-after: avoid; } .matrix { break-inside: avoid; }
  body { padding-bottom: 0; } footer { margin-top: 0.5rem; padding-top: 0.25rem; }
  .view, article section { margin-top: 1.5rem; }
  .plain td { overflow-wrap: anywhere; } .plain .amount { white-space: normal; }
  .view { break-inside: avoid; } p:has(+ figure), p:has(+ div > .still) { break-after: avoid; }
  figcaption, .view > p { max-width: 110ch; }
  :is(.plot, .plot-base) > svg { width: 100% !important; height: auto !important; }
  .check:has(> [data-live] > p:empty) { display: none; }
  .how-to-read::details-content { display: block; content-visibility: visible; block-size: auto; } .how-to-read summary { display: none; }
  .contents, #tooltip, noscript, .next-step button { display: none; }
  .provenance::details-content { display: block; content-visibility: visible; block-size: auto; } .provenance > summary, .provenance details:not([open]) { display: none; }
  .headline { font-size: 1.5rem; }
  .judged { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } .days { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); margin-top: 0.5rem; } .judged, .days { break-inside: avoid; }
  .group > summary { list-style: none; } .also::details-content { display: block; content-visibility: visible; block-size: auto; } .also ul { columns: 2; font-size: 7.5pt; line-height: 1.3; }
  .parallel-sheet { width: 86%; }

  .checks { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.9rem 1.25rem; margin-bottom: 1rem; }
  .check { break-inside: avoid; }
  .check:has(.pictures tr:nth-child(7)) { grid-column: span 2; }
  .check > p { font-size: 9pt; margin-bottom: 0.3rem; }
  .pictures th, .pictures td { padding: 0.05rem 0.3rem; }
  .pictures, .pictures caption { font-size: 7.5pt; }
  .pictures .picture { min-width: 3rem; }
  .plot svg { height: auto; max-height: 52mm; } .chart-lines .plot svg { max-height: 44mm; } .multiples .days > div { width: 78%; } .multiples, .multiples .days { margin-top: 0.4rem; gap: 0.3rem 2rem; }
  .chart-bars { margin-top: 1rem; }
  .trials-still thead th:nth-child(n + 3), .trials-still td { text-align: right; } .trials-still tr { break-inside: avoid; }
  .facts { line-height: 1.35; } .facts > div { padding: 0.1rem 0; }
  a { text-decoration: none; }
}
`

/** The filter, the live table and the menus that save what is seen. */
const TABLE_STYLE = `
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

/**
 * The inspector: a drawer at the right of a wide screen, a sheet over a narrow one.
 * The inspector: a drawer at the right of a wide screen, a sheet over a narrow one.
 */
const INSPECTOR_STYLE = `
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

/** The explorer: charts in two layers, the heat table, the matrix of pairs, the axes. */
const TONES = ['n5', 'n4', 'n3', 'n2', 'n1', 'p1', 'p2', 'p3', 'p4', 'p5'] as const

/** Charts in two layers, the heat table, the matrix of pairs, the axes. */
const EXPLORER_STYLE = `
.pin-0 { background: var(--best); } .pin-1 { background: var(--accent); } .pin-2 { background: var(--gain); } .pin-3 { background: var(--loss); } .pin-first { background: var(--muted); }
.pinned button, .other-costs summary { min-width: 44px; min-height: 44px; } .pinned th .swatch { margin-right: 0.4rem; }
.view { margin-top: 3.25rem; }
.how-to-read summary { width: max-content; cursor: pointer; }
.view:first-of-type { margin-top: 1.5rem; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0; }
.live { position: relative; } .live:empty { min-height: 25rem; } [data-live="table"]:empty { min-height: 33rem; }
.chart-scatter .live { cursor: crosshair; user-select: none; -webkit-user-select: none; touch-action: pan-y; }
.plot-base { position: relative; width: 100%; }
.plot-base svg { display: block; max-width: 100%; overflow: visible; }
.plot-base .mark-text text { paint-order: stroke; stroke-linejoin: round; pointer-events: none; }
.plot-lower, .plot-upper { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.swatch.ring { background: none; border: 2.5px solid var(--best); }
.swatch.cross { border-radius: 0; clip-path: polygon(33% 0, 67% 0, 67% 33%, 100% 33%, 100% 67%, 67% 67%, 67% 100%, 33% 100%, 33% 67%, 0 67%, 0 33%, 33% 33%); }
.swatch.front { background: var(--ink); } .swatch.line.trial { background: var(--accent); } .swatch.line.faint { background: var(--faint); }

.chart-heat .live { display: grid; grid-template-columns: minmax(0, 8fr) minmax(0, 5fr); gap: 1.5rem 2rem; align-items: start; }
.aggregates { display: flex; flex-wrap: wrap; margin: 0 0 0.75rem; padding: 0; border: 0; }
.aggregates label { position: relative; display: flex; align-items: center; min-height: 2.75rem; padding: 0 1rem; border: 1px solid var(--line-strong); border-left-width: 0; font-size: 0.9rem; cursor: pointer; }
.aggregates label:first-of-type { border-left-width: 1px; border-radius: 5px 0 0 5px; } .aggregates label:last-of-type { border-radius: 0 5px 5px 0; }
.aggregates input { margin: 0 0.5rem 0 0; accent-color: var(--accent); }
.aggregates label:has(:checked) { background: var(--panel); font-weight: 640; }
.heat-main .legend { margin: 0.9rem 0 0; }
.heat-table { width: auto; min-width: min(100%, 24rem); font-size: 0.9rem; }
.heat-caption { margin: 0 0 0.6rem; font-size: 0.9rem; }
.heat-table th { padding: 0.3rem 0.5rem; border: 0; color: var(--muted); text-align: center; white-space: nowrap; }
.heat-table tbody th { text-align: right; vertical-align: middle; }
.heat-table .corner { padding: 0.3rem 0.5rem; border: 0; color: var(--muted); text-align: right; vertical-align: bottom; white-space: normal; min-width: 5.5rem; }
.heat-table [scope="colgroup"] { text-align: left; }
.heat-cell { position: relative; height: 3.25rem; min-width: 3rem; padding: 0; border: 0; box-shadow: inset 0 0 0 1px var(--paper); text-align: center; vertical-align: middle; }
.heat-cell button { display: flex; flex-direction: column; align-items: center; justify-content: center; width: 100%; height: 100%; min-height: 3.25rem; padding: 0.2rem 0.5rem; font: inherit; line-height: 1.15; color: inherit; background: none; border: 0; cursor: pointer; }
.heat-cell small { font-size: 0.7rem; min-height: 0.8rem; }
.heat-cell button:focus-visible { outline: 3px solid var(--ink); outline-offset: -4px; }
.heat-cell.unselected { color: var(--muted); background: var(--panel); }
.heat-cell.blank, .swatch.hatched { background: repeating-linear-gradient(135deg, var(--panel) 0 5px, var(--line-strong) 5px 6px); }
.swatch.hatched, .swatch.plateau { border-radius: 2px; } .swatch.plateau { background: none; border: 2.5px solid var(--ink); } .swatch.winner { background: none; border: 2.5px solid var(--best); } .swatch.opened { background: none; border: 2.5px dotted var(--ink); }
.heat-cell::before { content: ""; position: absolute; inset: 0; pointer-events: none; border: 0 solid var(--ink); }
.heat-cell.edge-t::before { border-top-width: 2.5px; } .heat-cell.edge-r::before { border-right-width: 2.5px; } .heat-cell.edge-b::before { border-bottom-width: 2.5px; } .heat-cell.edge-l::before { border-left-width: 2.5px; }
.heat-cell.winner::after, .heat-cell.opened::after { content: ""; position: absolute; inset: 2.5px; border-radius: 5px; pointer-events: none; border: 2.5px solid var(--best); box-shadow: 0 0 0 1.5px var(--paper), inset 0 0 0 1px var(--paper); }
.heat-cell.opened::after { border: 2.5px dotted var(--ink); }
.heat-cell.winner.opened::after { border: 2.5px solid var(--best); outline: 2.5px dotted var(--ink); outline-offset: -5px; }
.heat-cell.chosen button { font-weight: 700; text-decoration: underline; text-underline-offset: 0.2em; }
.heat-pairs { display: grid; grid-template-columns: repeat(var(--pairs), minmax(0, 1fr)); gap: 4px; }
.pair-name { align-self: center; justify-self: end; padding: 0.15rem; font-size: 0.75rem; line-height: 1.15; text-align: right; color: var(--muted); overflow-wrap: anywhere; }
.pair { min-height: 2.75rem; padding: 3px; background: none; border: 1px solid transparent; border-radius: 4px; cursor: pointer; }
.pair:hover { border-color: var(--line-strong); }
.pair[aria-pressed="true"] { border: 2px solid var(--ink); padding: 2px; }
.pair svg { display: block; width: 100%; height: 3.6rem; }
.pair rect { stroke: var(--paper); stroke-width: 1px; vector-effect: non-scaling-stroke; fill: var(--line); }
.pair rect.blank { fill: none; stroke: var(--line-strong); stroke-dasharray: 2 2; }
.pair rect.winner { stroke: var(--best); stroke-width: 2.5px; }
${TONES.map((tone) => `.ink-${tone} { color: var(--heat-ink-${tone}); } .pair rect.fill-${tone} { fill: var(--heat-${tone}); }`).join('\n')}

.parallel-scroll { overflow-x: auto; }
.parallel-sheet { position: relative; min-width: calc(var(--axes) * 5.5rem); user-select: none; -webkit-user-select: none; touch-action: pan-x pan-y; }
.axis-grip { position: absolute; width: 44px; cursor: ns-resize; touch-action: none; }

@media (max-width: 60rem) { .chart-heat .live { grid-template-columns: minmax(0, 1fr); } }
@media print { .chart-heat .live { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); } .aggregates, .axis-grip { display: none; } .view { margin-top: 1.5rem; } }
`

/** The whole sheet: what all of the page shares, then the sheets of its parts. */
export const PAGE_STYLE = OWN_STYLE + EXPLORER_STYLE + VERDICT_STYLE + TABLE_STYLE + INSPECTOR_STYLE + PRINT_STYLE
