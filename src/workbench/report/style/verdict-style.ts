/** The style of the bar of links, of the verdict, and of the cards of an examination. */
export const VERDICT_STYLE = `
.contents { position: sticky; top: 0; z-index: 5; margin: 0 0 1.1rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.contents ol { flex-wrap: nowrap; gap: 0; overflow-x: auto; scrollbar-width: none; position: relative; }
.contents a { display: flex; align-items: center; min-height: 44px; padding: 0 0.85rem; white-space: nowrap; text-decoration: none; color: var(--muted); }
.contents li:first-child a { padding-left: 0; }
.contents a:hover, .contents [aria-current] { color: var(--ink); } .contents [aria-current] { box-shadow: inset 0 -2px var(--accent); }
[data-more~="before"] { mask-image: linear-gradient(to right, transparent, #000 3rem); } [data-more~="after"] { mask-image: linear-gradient(to left, transparent, #000 3rem); }
[data-more="before after"] { mask-image: linear-gradient(to right, transparent, #000 3rem calc(100% - 3rem), transparent); }

.verdict > *, .judged p, .judged ol { margin: 0; }
.headline { font-size: clamp(1.45rem, 3.2vw, 2.05rem); line-height: 1.2; font-weight: 680; letter-spacing: -0.015em; max-width: none; text-wrap: balance; }
#verdict { scroll-margin-top: 6rem; }
#verdict > h1 { display: inline; font-size: 1.05rem; letter-spacing: 0; margin: 0; }
#verdict > .kicker { display: inline; margin-right: 0.6rem; }
#verdict > .verdict { margin-top: 0.5rem; }
article .headline { font-size: 1.5rem; }
.meta { display: flex; flex-wrap: wrap; gap: 0.1rem 1.1rem; margin-top: 0.9rem; padding: 0; list-style: none; font-size: 0.8rem; color: var(--muted); }
.banner { padding: 0.35rem 0.8rem; font-size: 0.85rem; }
.verdict .banner { margin-top: 0.6rem; }
.judged { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 30rem); gap: 0.5rem 3rem; margin-top: 0.7rem !important; align-items: start; }
.judged > div { display: grid; gap: 0.65rem; min-width: 0; }
.judged > div:only-child, .judged > div:has(+ div:empty) { grid-column: 1 / -1; } .judged > div:empty { display: none; }
.reasons { padding-left: 1.3rem; } .reasons li { padding-left: 0.2rem; } .reasons .hard { font-weight: 640; }
.also summary { cursor: pointer; color: var(--muted); font-size: 0.9rem; width: max-content; }
.also ul { margin: 0.3rem 0 0; padding-left: 1.1rem; font-size: 0.88rem; } .also .hint { color: var(--muted); }

.plain.expect, .plain.seen { font-size: 0.82rem; }
:is(.expect, .seen) :is(th, td) { padding: 0.22rem 0.5rem; } :is(.expect, .seen) :is(th, td) { white-space: nowrap; } :is(.expect, .seen) :is(td, thead th) { text-align: right; }
:is(.expect, .seen) :is(th, td):first-child { padding-left: 0; text-align: left; } :is(.expect, .seen) caption { padding: 0 0 0.2rem; color: var(--ink); font-weight: 620; } :is(.expect, .seen) small { color: var(--muted); font-weight: 400; } .expect small { display: inline-block; }
.seen thead th { white-space: normal; } .seen thead small { display: block; }
.seen tbody + tbody tr:first-child > * { border-top: 1px solid var(--line-strong); }
.stretches { margin: 0; } .stretches svg { display: block; width: 100%; height: 5rem; }
.stretches .bar-gain { fill: var(--gain-soft); } .stretches .bar-loss { fill: var(--loss-soft); } .stretches .error { fill: var(--ink); opacity: 0.14; }
.stretches path { fill: none; vector-effect: non-scaling-stroke; stroke: var(--muted); } .stretches .mean { stroke: var(--ink); stroke-width: 1.5; }
.stretches figcaption { display: flex; justify-content: space-between; gap: 0.3rem 1rem; max-width: none; margin-top: 0.15rem; font-size: 0.76rem; }
.group { border-top: 1px solid var(--line); } .group > summary { cursor: pointer; min-height: 44px; padding: 0.5rem 0; } .group > summary > :is(h3, h4) { display: inline; margin: 0; }
.days { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 24rem); gap: 1rem 3rem; margin-top: 1.2rem; align-items: start; }
.days .chart { margin: 0; position: relative; } .days .exports { position: absolute; top: 0; right: 0; margin: 0; } .days .chart + .chart .exports { top: -1.4rem; display: none; } .days .legend { margin: 0 0 0.2rem; padding-right: 4rem; } .days figcaption { margin-top: 0.2rem; font-size: 0.76rem; }
.multiples { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr)); gap: 1.5rem 3rem; margin-top: 1.5rem; }
.multiples section { margin: 0; min-width: 0; } .multiples .days { grid-template-columns: minmax(0, 1fr); } .multiples section > :is(h2, h3) { margin: 0 0 0.4rem; font-size: 1.15rem; }
.market { margin-top: 3rem; border-top: 3px solid var(--ink); } .market > summary { padding: 1rem 0; cursor: pointer; } .market > summary h2 { display: inline; font-size: 1.7rem; }

.next-step { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; max-width: none; }
.next-step .command { display: flex; align-items: center; gap: 0.3rem 0.6rem; min-width: 0; max-width: 100%; }
.next-step code { padding: 0.45rem 0.7rem; line-height: 1.3; background: var(--panel); border: 1px solid var(--line-strong); border-radius: 5px; user-select: all; }
.next-step button { font: inherit; font-size: 0.85rem; padding: 0.3rem 0.8rem; min-height: 34px; color: var(--ink); background: var(--paper); border: 1px solid var(--line-strong); border-radius: 5px; cursor: pointer; }

@media (pointer: coarse) {
  .reasons a { display: flex; align-items: center; min-height: 44px; } .also summary { min-height: 44px; padding: 0.6rem 0; }
  .next-step button { min-height: 44px; }
}
@media (max-width: 30rem) { .next-step .command:has(> span) { flex-wrap: wrap; } .plain:is(.expect, .seen) :is(th, td, caption) { white-space: normal; padding-inline: 0.2rem; } .stretches figcaption { flex-wrap: wrap; } .stretches figcaption :nth-child(2) { order: 1; flex-basis: 100%; } }
@media (max-width: 60rem) { .judged, .days { grid-template-columns: minmax(0, 1fr); } }

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
.envelope { display: block; width: 100%; height: 4rem; margin: 0.3rem 0; } .envelope rect { fill: var(--best); opacity: 0.14; } .envelope path { fill: var(--accent); stroke: var(--accent); stroke-width: 0.5; } .envelope .zero { fill: none; stroke: var(--line-strong); }
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



.falls { font-size: 0.78rem; } .falls th, .falls td { padding: 0.3rem 0.35rem; } .falls th:first-child { padding-left: 0; } .plain.falls td { white-space: nowrap; }

@media (max-width: 30rem) { .pictures td:last-child { white-space: normal; } .pictures .picture { width: 30%; } }

.provenance > summary { cursor: pointer; min-height: 44px; display: list-item; padding: 0.6rem 0; color: var(--muted); }
.commands { list-style: none; }
.facts .commands { padding: 0; }
.commands code { user-select: all; }

`
