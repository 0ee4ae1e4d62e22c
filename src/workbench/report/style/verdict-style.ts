/** The style of the bar of links and of the verdict. */
export const VERDICT_STYLE = `
.contents { position: sticky; top: 0; z-index: 5; margin: 0 0 1.1rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.contents ol { flex-wrap: nowrap; gap: 0; overflow-x: auto; scrollbar-width: none; position: relative; }
.contents a { display: flex; align-items: center; min-height: 44px; padding: 0 0.85rem; white-space: nowrap; text-decoration: none; color: var(--muted); }
.contents li:first-child a { padding-left: 0; }
.contents a:hover, .contents [aria-current] { color: var(--ink); } .contents [aria-current] { box-shadow: inset 0 -2px var(--accent); }
[data-more~="before"] { mask-image: linear-gradient(to right, transparent, #000 3rem); } [data-more~="after"] { mask-image: linear-gradient(to left, transparent, #000 3rem); }
[data-more="before after"] { mask-image: linear-gradient(to right, transparent, #000 3rem calc(100% - 3rem), transparent); }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.verdict { display: grid; gap: 0.85rem; grid-template-columns: minmax(0, 1fr); }
.verdict > * { margin: 0; } .verdict > .small { max-width: none; } .together { white-space: nowrap; }
.headline { font-size: clamp(1.45rem, 3.2vw, 2.05rem); line-height: 1.2; font-weight: 680; letter-spacing: -0.015em; max-width: none; text-wrap: balance; }
#verdict { scroll-margin-top: 6rem; }
#verdict > h1 { display: inline; font-size: 1.05rem; letter-spacing: 0; margin: 0; }
#verdict > .kicker { display: inline; margin-right: 0.6rem; }
#verdict > .verdict { margin-top: 0.6rem; }
article .headline { font-size: 1.5rem; }
.verdict .meta { gap: 0.15rem 1.1rem; font-size: 0.82rem; color: var(--muted); }
.verdict .meta > div { display: flex; gap: 0.35rem; }
.verdict .meta dt { font-size: inherit; }
.verdict .banner { padding: 0.35rem 0.8rem; font-size: 0.85rem; }

.verdict-figures { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); border-block: 1px solid var(--line-strong); }
.verdict-figures > div { padding: 0.6rem 0.9rem 0.65rem; border-left: 1px solid var(--line); min-width: 0; }
.verdict-figures > div:first-child { padding-left: 0; border-left: 0; }
.verdict-figures dt { font-size: 0.8rem; color: var(--muted); overflow-wrap: anywhere; }
.verdict-figures dd { margin: 0; }
.verdict-figures .figure { font-size: 1.3rem; line-height: 1.3; font-weight: 640; letter-spacing: -0.02em; overflow-wrap: anywhere; }
.verdict-figures .under { font-size: 0.76rem; line-height: 1.4; color: var(--muted); }

.price-strip svg { display: block; width: 100%; height: 6.5rem; overflow: visible; }
.price-strip path { fill: none; vector-effect: non-scaling-stroke; }
.price-strip .price { stroke: var(--muted); stroke-width: 1.2; stroke-linejoin: round; }
.price-strip .exit-gain { stroke: var(--gain); stroke-width: 7; stroke-linecap: round; }
.price-strip .exit-loss { stroke: var(--loss); stroke-width: 8; stroke-linecap: square; }
.price-strip .deal-gain { fill: var(--gain-soft); } .price-strip .deal-loss { fill: var(--loss); }
.price-strip figcaption { display: flex; justify-content: space-between; gap: 0.3rem 1rem; max-width: none; margin-top: 0.3rem; font-size: 0.76rem; }
.mark-gain { color: var(--gain); } .mark-loss { color: var(--loss); }

.doubt-chips { display: grid; gap: 0.3rem; }
.doubt-chips > div { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0.2rem 0.75rem; }
.doubts-title { margin: 0; padding-top: 0.3rem; font-size: 0.82rem; color: var(--muted); }
.doubts-title > span:first-child { display: inline-block; width: 1.1em; color: var(--muted); }
.doubts-block .doubts-title, .doubts-block .doubts-title > span:first-child { color: var(--loss); font-weight: 640; }
.doubts-warn .doubts-title > span:first-child { color: var(--loss); }
.doubt-chips ul { display: flex; flex-wrap: wrap; gap: 0.3rem; margin: 0; padding: 0; list-style: none; }
.doubt-chips li { max-width: 100%; } .doubt-chips li:has([open]) { flex-basis: 100%; }
.doubt-chips summary { width: max-content; max-width: 100%; padding: 0.2rem 0.7rem; font-size: 0.84rem; line-height: 1.4; cursor: pointer; background: var(--panel); border: 1px solid var(--line); border-radius: 1rem; list-style: none; }
.doubt-chips summary::-webkit-details-marker { display: none; }
.doubt-chips summary:hover, .doubt-chips [open] summary { border-color: var(--line-strong); }
.doubts-warn summary { border-color: var(--loss); }
.doubts-block summary { border: 2px solid var(--loss); font-weight: 640; }
.doubt-chips details p { margin: 0.35rem 0 0.5rem; font-size: 0.88rem; }
.doubt-chips .hint { color: var(--muted); }

.next-step { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; max-width: none; }
.next-step code { padding: 0.45rem 0.7rem; line-height: 1.3; background: var(--panel); border: 1px solid var(--line-strong); border-radius: 5px; user-select: all; }
.next-step button { font: inherit; font-size: 0.85rem; padding: 0.3rem 0.8rem; min-height: 34px; color: var(--ink); background: var(--paper); border: 1px solid var(--line-strong); border-radius: 5px; cursor: pointer; }
.verdict + .lead { font-size: 1.02rem; margin: 1.5rem 0 1.25rem; max-width: 78ch; }

@media (pointer: coarse) {
  .doubt-chips summary { display: flex; align-items: center; min-height: 44px; }
  .next-step button { min-height: 44px; }
}
@media (max-width: 64rem) { .verdict-figures { grid-template-columns: repeat(3, minmax(0, 1fr)); } .verdict-figures > div:nth-child(3n + 1) { padding-left: 0; border-left: 0; } }
@media (max-width: 46rem) {
  .verdict-figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .verdict-figures .figure { font-size: 1.08rem; }
  .verdict-figures > div, .verdict-figures > div:nth-child(3n + 1) { padding: 0.6rem 0.6rem 0.65rem 0; border-left: 0; }
  .doubt-chips > div { grid-template-columns: minmax(0, 1fr); }
  .price-strip figcaption { flex-wrap: wrap; }
  .price-strip figcaption span:nth-child(2) { order: 3; flex-basis: 100%; }
}
`
