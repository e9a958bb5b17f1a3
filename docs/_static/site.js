// What scrolls must be reachable with the keyboard: wide listings and tables become stops of the Tab key.
const mark = () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("load", mark);
addEventListener("resize", mark);
