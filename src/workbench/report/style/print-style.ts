/** The report on paper: verdict, tables, charts and how sure, for somebody who was handed it. What only works on a screen is left out. */
export const PRINT_STYLE = `
@media print {
  :root { --paper: #fff; --panel: #f6f6f4; font-size: 11.5px; }
  p, li { break-inside: avoid; }
  section:has(> .provenance) { break-before: page; margin-top: 0; }
  article { break-before: page; margin-top: 0; padding-top: 0; border-top: 0; }
  h4, .question, .lead-in, caption, .legend, .group > summary { break-after: avoid; }
  body { padding-bottom: 0; } footer { margin-top: 0.5rem; padding-top: 0.25rem; }
  .view, article section { margin-top: 1.5rem; }
  .plain td { overflow-wrap: anywhere; } .plain .amount { white-space: normal; }
  .view { break-inside: avoid; } p:has(+ figure), p:has(+ div > .still) { break-after: avoid; }
  figcaption, .view > p { max-width: 110ch; }
  :is(.plot, .plot-ground) > :is(svg, canvas) { width: 100% !important; height: auto !important; }
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
  .plot svg { height: auto; max-height: 52mm; } .chart-lines .plot svg { max-height: 44mm; }
  .chart-bars { margin-top: 1rem; }
  .trials-still thead th:nth-child(n + 3), .trials-still td { text-align: right; } .trials-still tr { break-inside: avoid; }
  .facts > div { padding: 0.1rem 0; }
  a { text-decoration: none; }
}
`
