/**
 * The script of the ranking table: it sorts, filters, and shows as many columns as fit. It is part of the page's script. The head
 * of a column has the names that the filter accepts (`data-names`), the order of its words (`data-words`, for yes or no), and whether it may be hidden on a narrow page (`data-minor`).
 */
export const TABLE_SCRIPT = `
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

  const COMPARE = {
    '>': (a, b) => a > b, '<': (a, b) => a < b, '>=': (a, b) => a >= b, '<=': (a, b) => a <= b,
    '=': (a, b) => a === b, '!=': (a, b) => a !== b,
  };
  const MINUTES = { d: 1440, h: 60, min: 1 };

  /** A number as it may be typed or shown: +1,234.5 or 12 % or 3d; NaN if it is none. */
  function readNumber(text) {
    const [, digits, unit] = /^([+-]?[0-9.,]*(?:e[+-]?[0-9]+)?)(%|d|h|min)?$/.exec(text.replace('\\u2212', '-')) ?? [];
    return digits ? Number(digits.replace(/,/g, '')) * (MINUTES[unit] ?? 1) : NaN;
  }

  /** One word of the filter as a test of a row, or what is wrong with it. Without an operator it is text to find. */
  function readTerm(table, term) {
    const [, name, sign, value] = /^([^<>=!]+)(>=|<=|!=|=|<|>)(.*)$/.exec(term) ?? [];
    if (name === undefined) return { test: (row) => row.dataset.text.includes(term) };
    const heads = [...table.tHead.rows[0].cells];
    const called = name.replace(/[^a-z0-9]/g, '');
    const column = heads.findIndex((head) => (head.dataset.names ?? '').split(' ').includes(called));
    if (column < 0) {
      const known = heads.flatMap((head) => (head.dataset.names ?? '').split(' ').slice(0, 1)).filter(Boolean);
      return { wrong: 'no column ' + name + '; there are ' + known.join(', ') };
    }
    const words = (heads[column].dataset.words ?? '').split(' ').filter(Boolean);
    const wanted = words.includes(value) ? words.indexOf(value) : readNumber(value);
    if (Number.isNaN(wanted)) {
      return { wrong: name + sign + ' expects ' + (words.length > 0 ? 'one of ' + words.join(', ') : 'a number') + ', found ' + (value || 'nothing') };
    }
    return { test: (row) => {
      const { dataset, textContent } = row.cells[column];
      if (dataset.v === '') return false;
      const exact = Number(dataset.v);
      // what is equal to the number shown is meant, though more digits are known
      const shown = sign.endsWith('=') && readNumber(textContent.split('\\u00b1')[0].replace(/\\s/g, '')) === wanted ? wanted : exact;
      return COMPARE[sign](shown, wanted);
    } };
  }

  function filter(input) {
    const table = byId(input.dataset.filter);
    const typed = input.value.toLowerCase().replace(/\\u2265/g, '>=').replace(/\\u2264/g, '<=').replace(/\\s*(>=|<=|!=|=|<|>)\\s*/g, '$1');
    const terms = typed.split(/\\s+/).filter(Boolean).map((term) => readTerm(table, term));
    const tests = terms.flatMap(({ test }) => test ?? []);
    const rows = [...table.querySelectorAll('tbody tr[data-text]')];
    for (const row of rows) row.hidden = !tests.every((test) => test(row));
    const shown = rows.filter((row) => !row.hidden).length;
    const counted = shown === rows.length ? rows.length + (rows.length === 1 ? ' trial' : ' trials') : shown + ' of ' + rows.length + ' trials';
    const wrong = terms.flatMap(({ wrong }) => wrong ?? []);
    input.setAttribute('aria-invalid', String(wrong.length > 0));
    document.querySelector('[data-count="' + input.dataset.filter + '"]').textContent = [...wrong, counted].join('; ');
  }

  /** Minor columns give way from the right until the rest fits, unless all are asked for. */
  function fitColumns(table, button) {
    const wanted = button.getAttribute('aria-pressed') === 'true';
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...table.rows].filter((row) => row.cells.length === heads.length);
    const show = (column, shown) => { for (const row of rows) row.cells[column].hidden = !shown; };
    const minor = heads.flatMap((head, column) => (head.hasAttribute('data-minor') ? [column] : []));
    for (const column of minor) show(column, true);
    const room = table.parentElement;
    const tooWide = () => room.scrollWidth > room.clientWidth;
    button.hidden = !tooWide();
    if (wanted) return;
    for (const column of minor.reverse()) {
      if (!tooWide()) break;
      show(column, false);
    }
  }

  for (const table of document.querySelectorAll('[data-sortable]')) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      header.firstElementChild.addEventListener('click', () => sortBy(table, column, header));
    });
  }
  for (const input of document.querySelectorAll('[data-filter]')) input.addEventListener('input', () => filter(input));
  for (const button of document.querySelectorAll('[data-columns]')) {
    const table = byId(button.dataset.columns);
    button.addEventListener('click', () => {
      button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
      fitColumns(table, button);
    });
    let width = 0;
    new ResizeObserver(() => {
      if (table.parentElement.clientWidth === width) return;
      width = table.parentElement.clientWidth;
      fitColumns(table, button);
    }).observe(table.parentElement);
  }
`
