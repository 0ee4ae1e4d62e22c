/** The report on paper: verdict, tables, charts and how sure, for somebody who was handed it. What only works on a screen is left out. */
export const PRINT_STYLE = `
@media print {
  :root { --paper: #fff; --panel: #f6f6f4; font-size: 11.5px; }
  p, li { break-inside: avoid; }
  section:has(> .provenance) { break-before: page; margin-top: 0; }
  article { break-before: page; margin-top: 0; padding-top: 0; border-top: 0; }
  h4, .question, .lead-in, .doubts-title, caption, .legend { break-after: avoid; }
  .view, article section { margin-top: 1.5rem; }
  .plain td { overflow-wrap: anywhere; } .plain .amount { white-space: normal; }
  .view { break-inside: avoid; } p:has(+ figure), p:has(+ div > .still) { break-after: avoid; }
  figcaption, .view > p { max-width: 110ch; }
  :is(.plot, .plot-ground) > :is(svg, canvas) { width: 100% !important; height: auto !important; }
  .check:has(.twins[hidden]) { display: none; }
  .how-to-read::details-content { display: block; content-visibility: visible; block-size: auto; } .how-to-read summary { display: none; }
  .contents, #tooltip, noscript, .next-step button { display: none; }
  .provenance::details-content { display: block; content-visibility: visible; block-size: auto; } .provenance > summary, .provenance details:not([open]) { display: none; }
  .verdict { gap: 0.5rem; }
  .headline { font-size: 1.5rem; }
  .verdict + .lead { margin: 0.5rem 0; font-size: 8.5pt; max-width: none; }
  .verdict ~ :is(.config, .small) { margin-bottom: 0.25rem; font-size: 8pt; max-width: none; }
  .verdict-figures { grid-template-columns: repeat(6, minmax(0, 1fr)); break-inside: avoid; }
  .verdict-figures > div, .verdict-figures > div:nth-child(3n + 1) { padding: 0.3rem 0.6rem; border-left: 1px solid var(--line); }
  .verdict-figures > div:first-child { padding-left: 0; border-left: 0; }
  .verdict-figures .figure { font-size: 1.05rem; }
  .price-strip svg { height: 2.4rem; } .config { gap: 0.3rem; break-inside: avoid; } .config > div { padding: 0.1rem 0.5rem; }
  .parallel-sheet { width: 86%; }

  .doubt-chips, .doubt-chips .doubts-title { font-size: 8pt; } .doubt-chips > div { grid-template-columns: 6rem minmax(0, 1fr); }
  .doubt-chips ul { display: block; columns: 3; column-gap: 1.25rem; }
  .doubt-chips li { break-inside: avoid; margin-bottom: 0.2rem; line-height: 1.3; }
  .doubt-chips summary { display: inline; padding: 0; border: 0; background: none; font-weight: 640; min-height: 0; }
  .doubt-chips details::details-content { display: block; content-visibility: visible; block-size: auto; }
  .doubt-chips details p { margin: 0; font-size: 7.5pt; line-height: 1.3; }
  .doubt-chips details:not([open]) > p { display: block; }

  .checks { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.9rem 1.25rem; margin-bottom: 1rem; }
  .check, .timeline, .columns > div { break-inside: avoid; }
  .check:has(.pictures tr:nth-child(7)) { grid-column: span 2; }
  .check > p { font-size: 9pt; margin-bottom: 0.3rem; }
  .pictures th, .pictures td { padding: 0.05rem 0.3rem; }
  .pictures, .pictures caption { font-size: 7.5pt; }
  .pictures .picture { min-width: 3rem; }
  .plot svg { height: auto; max-height: 52mm; } .chart-lines .plot svg { max-height: 44mm; } .plot[id$="plot-distribution"] svg { max-height: 38mm; }
  .chart-bars, .columns { margin-top: 1rem; }
  .trials-still thead th:nth-child(n + 3), .trials-still td { text-align: right; } .trials-still tr { break-inside: avoid; }
  .facts > div { padding: 0.15rem 0; }
  a { text-decoration: none; }
}
`
