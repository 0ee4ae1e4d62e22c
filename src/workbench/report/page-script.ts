import { TABLE_SCRIPT } from './table-script.ts'

/**
 * The script of the page: it draws the charts, shows tooltips, and contains the script of the tables. It uses no eval: Vega's
 * expressions are parsed (`ast: true`) and evaluated by the interpreter of vega-embed. Text from data becomes only text nodes.
 * For tests, `<html data-drawn>` is the number of charts drawn.
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

  /** How far from a finger a mark may lie, in pixels: half of the 44 that a touch target should have. */
  const reach = 22;

  /** The tooltip of the mark under a finger, or of the nearest one that it can have meant. */
  function tooltipAt(place, { clientX, clientY }) {
    const marks = [...place.querySelectorAll('path')].flatMap((path) => {
      const { left, right, top, bottom } = path.getBoundingClientRect();
      const value = path.__data__?.tooltip;
      const distance = Math.hypot(Math.max(left - clientX, 0, clientX - right), Math.max(top - clientY, 0, clientY - bottom));
      const fromCentre = Math.hypot((left + right) / 2 - clientX, (top + bottom) / 2 - clientY);
      return typeof value === 'string' && distance <= reach ? [{ value, distance, fromCentre }] : [];
    });
    return marks.sort((a, b) => a.distance - b.distance || a.fromCentre - b.fromCentre)[0]?.value;
  }

  // Vega shows tooltips when a pointer moves over a mark; a tap moves none
  let lastPointer = '';
  addEventListener('pointerdown', (event) => { lastPointer = event.pointerType; }, true);
  addEventListener('click', (event) => {
    if (lastPointer !== 'touch') return;
    const place = event.target instanceof Element ? event.target.closest('.plot') : null;
    showTooltip(null, event, null, place === null ? '' : tooltipAt(place, event));
  });

  async function draw({ id, spec }) {
    const place = byId(id);
    try {
      await vegaEmbed(place, spec, {
        mode: 'vega', renderer: 'svg', actions: false, ast: true, defaultStyle: false, hover: false, tooltip: showTooltip,
      });
      // the place itself is the image and has the words; Vega makes it a document, of parts without a name
      place.setAttribute('role', 'img');
      place.removeAttribute('aria-roledescription');
      for (const part of place.children) part.setAttribute('aria-hidden', 'true');
      return 1;
    } catch (error) {
      place.textContent = 'This chart could not be drawn; the tables hold the same numbers.';
      console.error(error);
      return 0;
    }
  }

${TABLE_SCRIPT}
  const charts = JSON.parse(byId('charts').textContent);
  Promise.all(charts.map(draw)).then((drawn) => {
    document.documentElement.dataset.drawn = String(drawn.reduce((sum, one) => sum + one, 0));
  });
})();
`
