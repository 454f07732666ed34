// Sorting and filters; without this script the page shows everything in the order of its tables.
"use strict";

/** Returns the sort key of a cell: its number, or else its text. */
function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.v ?? cell.textContent.trim();
  const number = Number(text.replace(/\u202f/g, ""));
  return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
}

/** Compares keys: texts come after numbers, and equal ones stay in order. */
function compare(one, other) {
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });
}

function sort(table, head) {
  const column = head.cellIndex;
  const first = head.classList.contains("down") ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  for (const cell of head.parentElement.cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [value(row, column), row]);
  rows.sort(([a], [b]) => sign * compare(a, b));
  body.append(...rows.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head));
    head.append(button);
  }
}

const list = document.getElementById("match-list");
if (list) {
  const bot = document.getElementById("filter-bot");
  const faults = document.getElementById("filter-faults");
  const count = document.getElementById("filter-count");
  const filter = () => {
    let shown = 0;
    for (const row of list.tBodies[0].rows) {
      const fits = (bot.value === "" || row.dataset.b.split(" ").includes(bot.value))
        && (!faults.checked || row.querySelector(".bad") !== null);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    count.textContent = `${shown} of ${list.tBodies[0].rows.length}`;
  };
  bot.addEventListener("change", filter);
  faults.addEventListener("change", filter);
  bot.closest(".filters").hidden = false;
  filter();
}
