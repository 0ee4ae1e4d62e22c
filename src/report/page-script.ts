/**
 * What the page does by itself: draws its charts, shows tooltips, sorts and filters tables. Plain script without eval:
 * Vega's expressions are parsed (`ast: true`) and walked by the interpreter that vega-embed brings. Text from data only
 * ever becomes text nodes. `<html data-drawn>` says how many charts were drawn, for tests.
 */
export const PAGE_SCRIPT = `
'use strict';
(() => {
  const byId = (id) => document.getElementById(id);

  const box = byId('tooltip');
  function showTooltip(handler, event, item, value) {
    if (typeof value !== 'string' || value === '') { box.hidden = true; return; }
    const [title, ...pairs] = value.split('\\n');
    const heading = document.createElement('strong');
    heading.textContent = title;
    box.replaceChildren(heading, ...pairs.map((pair) => {
      const line = document.createElement('div');
      line.className = 'pair';
      line.append(...pair.split('\\t').map((text) => {
        const part = document.createElement('span');
        part.textContent = text;
        return part;
      }));
      return line;
    }));
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = event.clientX + 14 + width > innerWidth ? event.clientX - width - 14 : event.clientX + 14;
    const top = event.clientY + 14 + height > innerHeight ? event.clientY - height - 14 : event.clientY + 14;
    box.style.left = Math.max(4, left) + 'px';
    box.style.top = Math.max(4, top) + 'px';
  }

  async function draw({ id, spec }) {
    const place = byId(id);
    try {
      await vegaEmbed(place, spec, {
        mode: 'vega', renderer: 'svg', actions: false, ast: true, defaultStyle: false, hover: false, tooltip: showTooltip,
      });
      return 1;
    } catch (error) {
      place.textContent = 'This chart could not be drawn; the tables hold the same numbers.';
      console.error(error);
      return 0;
    }
  }

  function sortBy(table, column, header) {
    const text = column === 1;
    const first = column === 0 || text ? 'ascending' : 'descending';
    const other = first === 'ascending' ? 'descending' : 'ascending';
    const direction = header.getAttribute('aria-sort') === first ? other : first;
    for (const each of table.tHead.rows[0].cells) each.setAttribute('aria-sort', each === header ? direction : 'none');
    const sign = direction === 'ascending' ? 1 : -1;
    for (const body of table.tBodies) {
      if (body.hasAttribute('data-fixed')) continue;
      const keyed = [...body.rows].map((row) => ({ row, key: row.cells[column].dataset.v }));
      keyed.sort((a, b) => {
        if (a.key === b.key) return 0;
        if (a.key === '') return 1;
        if (b.key === '') return -1;
        return sign * (text ? (a.key < b.key ? -1 : 1) : Number(a.key) - Number(b.key));
      });
      body.append(...keyed.map(({ row }) => row));
    }
  }

  function filter(input) {
    const table = byId(input.dataset.filter);
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    let total = 0;
    for (const row of table.querySelectorAll('tbody tr[data-text]')) {
      const padded = ' ' + row.dataset.text + ' ';
      // "takeprofit=1" means 1, not 1.5: a word with a value must match to its end
      row.hidden = !words.every((word) => padded.includes(word.includes('=') ? ' ' + word + ' ' : word));
      total += 1;
      if (!row.hidden) shown += 1;
    }
    const count = document.querySelector('[data-count="' + input.dataset.filter + '"]');
    count.textContent = shown === total ? total + (total === 1 ? ' trial' : ' trials') : shown + ' of ' + total + ' trials';
  }

  for (const table of document.querySelectorAll('[data-sortable]')) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      header.firstElementChild.addEventListener('click', () => sortBy(table, column, header));
    });
  }
  for (const input of document.querySelectorAll('[data-filter]')) input.addEventListener('input', () => filter(input));

  const charts = JSON.parse(byId('charts').textContent);
  Promise.all(charts.map(draw)).then((drawn) => {
    document.documentElement.dataset.drawn = String(drawn.reduce((sum, one) => sum + one, 0));
  });
})();
`
