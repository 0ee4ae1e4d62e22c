/** Style of the explorer: charts in two layers, the heat table, the matrix of pairs, the axes. */
const TONES = ['n5', 'n4', 'n3', 'n2', 'n1', 'p1', 'p2', 'p3', 'p4', 'p5'] as const

export const EXPLORER_STYLE = `
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
