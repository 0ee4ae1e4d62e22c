/** The style of the cards of an examination and of what a study cost. */
export const HOW_SURE_STYLE = `
.checks { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 23rem), 1fr)); gap: 1.75rem 2.5rem; margin: 0.5rem 0 2.75rem; align-items: start; }
.check { min-width: 0; }
.check.wide { grid-column: 1 / -1; max-width: 60rem; }
@media (min-width: 72rem) { .check:has(.pictures tr:nth-child(7)) { grid-column: span 2; } }
.check > p { font-size: 0.92rem; margin: 0 0 0.6rem; }
.check .question { font-weight: 620; font-size: 0.98rem; margin: 0 0 0.3rem; text-wrap: balance; }
.check .refused { color: var(--muted); padding-left: 0.75rem; border-left: 3px solid var(--line-strong); }
section > h3, section > h4 { margin: 2rem 0 0.75rem; }

.pictures { font-size: 0.82rem; margin-bottom: 0.5rem; }
.pictures caption { padding: 0.25rem 0; font-size: 0.8rem; }
.pictures th, .pictures td { padding: 0.16rem 0.5rem; border-bottom: 0; vertical-align: middle; }
.pictures th { padding-left: 0; width: 36%; }
.pictures .picture { width: 100%; min-width: 4.5rem; padding: 0.16rem 0; }
.pictures td:last-child { padding-right: 0; }
.pictures svg { display: block; width: 100%; height: 12px; overflow: visible; }
.pictures path { fill: none; vector-effect: non-scaling-stroke; }
.pictures .bar-gain { fill: var(--gain-soft); } .pictures .bar-loss { fill: var(--loss-soft); }
.pictures .zero { stroke: var(--muted); stroke-width: 1; }
.pictures .interval { stroke: var(--accent); stroke-width: 2; }
.pictures .dot { stroke: var(--accent); stroke-width: 8; stroke-linecap: round; }
.swatch.unmatched { background: var(--loss); }
.swatch.hollow { background: none; box-shadow: inset 0 0 0 1.5px var(--accent); }


.twins { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); gap: 0.5rem 2rem; align-items: center; margin: 0.75rem 0; }
.twins[hidden] { display: none; }
.twins figure { margin: 0; } .twins table { font-size: 0.85rem; } .twins :is(td, thead th:not(:first-child)) { text-align: right; white-space: nowrap; } .twins th { padding-left: 0; }
.twins .none :is(th, td) { color: var(--muted); }
.twins-words { margin: 0 0 0.5rem; font-size: 0.92rem; } .twins-progress { margin: 0.5rem 0 0; }
@media (max-width: 46rem) { .twins { grid-template-columns: minmax(0, 1fr); } }

.falls { font-size: 0.78rem; } .falls th, .falls td { padding: 0.3rem 0.35rem; } .falls th:first-child { padding-left: 0; } .plain.falls td { white-space: nowrap; }

@media (max-width: 30rem) { .pictures td:last-child { white-space: normal; } .pictures .picture { width: 30%; } }

.provenance > summary { cursor: pointer; min-height: 44px; display: list-item; padding: 0.6rem 0; color: var(--muted); }
.commands { list-style: none; }
.facts .commands { padding: 0; }
.commands code { user-select: all; }

.timeline { margin-top: 2rem; max-width: 46rem; }
.timeline svg { display: block; width: 100%; height: 40px; border-bottom: 1px solid var(--line-strong); }
.timeline rect { fill: var(--accent); }
`
