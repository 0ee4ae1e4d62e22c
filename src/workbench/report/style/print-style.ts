/** The report on paper: verdict, tables, charts and how sure, for somebody who was handed it. What only works on a screen is left out. */
export const PRINT_STYLE = `
@media print {
  .contents, .next-step button, .next-step [role="status"], #tooltip, noscript { display: none; }
  section:has(> .provenance:not([open])) { display: none; }
  #verdict { break-after: avoid; }
  .verdict { gap: 0.5rem; }
  .headline { font-size: 1.5rem; }
  .verdict + .lead { margin: 0.75rem 0; font-size: 10pt; max-width: none; }
  .verdict-figures { grid-template-columns: repeat(6, minmax(0, 1fr)); break-inside: avoid; }
  .verdict-figures > div, .verdict-figures > div:nth-child(3n + 1) { padding: 0.3rem 0.6rem; border-left: 1px solid var(--line); }
  .verdict-figures > div:first-child { padding-left: 0; border-left: 0; }
  .verdict-figures .figure { font-size: 1.05rem; }
  .price-strip svg { height: 4.5rem; }

  .doubt-chips { font-size: 9pt; }
  .doubt-chips ul { display: block; columns: 2; column-gap: 1.5rem; }
  .doubt-chips li { break-inside: avoid; margin-bottom: 0.25rem; }
  .doubt-chips summary { display: inline; padding: 0; border: 0; background: none; font-weight: 640; min-height: 0; }
  .doubt-chips details::details-content { display: block; content-visibility: visible; block-size: auto; }
  .doubt-chips details p { margin: 0; font-size: 9pt; }
  .doubt-chips details:not([open]) > p { display: block; }

  .checks { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.9rem 1.25rem; margin-bottom: 1rem; }
  .check, .timeline, .columns > div { break-inside: avoid; }
  .check > p { font-size: 9pt; margin-bottom: 0.3rem; }
  .pictures th, .pictures td { padding: 0.05rem 0.3rem; }
  .pictures, .pictures caption { font-size: 7.5pt; }
  .pictures .picture { min-width: 3rem; }
  .plot svg { height: auto; }
  .chart-bars, .columns { margin-top: 1rem; }
  .facts > div { padding: 0.15rem 0; }
  a { text-decoration: none; }
}
`
