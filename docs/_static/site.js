// What scrolls must be reachable with the keyboard: wide listings and tables become stops of the Tab key.
const mark = () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("load", mark);
addEventListener("resize", mark);

// Commands in tables break after a slash or an underscore, not inside a word.
addEventListener("DOMContentLoaded", () => {
  for (const span of document.querySelectorAll("table.docutils code.literal .pre")) {
    const parts = span.textContent.split(/(?<=[/_:=])/);
    if (parts.length > 1) span.replaceChildren(...parts.flatMap((part) => [part, document.createElement("wbr")]));
  }
});
