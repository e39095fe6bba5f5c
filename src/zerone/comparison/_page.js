"use strict";
// Tables are sorted by a click on a heading.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), table = head.closest("table");
    const index = [...head.parentNode.children].indexOf(head);
    const rising = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const key = row => row.children[index].dataset.value ?? row.children[index].textContent;
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [x, y] = [key(a), key(b)], [p, q] = [parseFloat(x), parseFloat(y)];
      const order = isNaN(p) || isNaN(q) ? x.localeCompare(y) : p - q;
      return rising ? order : -order;
    });
    table.tBodies[0].append(...rows);
  });
}
