import { EXPLORER_STYLE } from './style/explorer-style.ts'
import { INSPECTOR_STYLE } from './style/inspector-style.ts'
import { TABLE_STYLE } from './style/table-style.ts'
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

/** The whole sheet: what all of the page shares, then the sheets of its parts. */
export const PAGE_STYLE = OWN_STYLE + EXPLORER_STYLE + VERDICT_STYLE + TABLE_STYLE + INSPECTOR_STYLE + PRINT_STYLE
