// What the theme leaves without a level or a name, for those who have pages read to them.
"use strict";

for (const caption of document.querySelectorAll("[role=heading]:not([aria-level])")) {
  caption.ariaLevel = "2";
}
for (const [part, name] of [[".sidebar-drawer", "All pages"], [".toc-drawer", "This page"]]) {
  const aside = document.querySelector(`aside${part}`);
  if (aside) aside.ariaLabel = name;
}

// The search page has no heading of its own.
const results = document.getElementById("search-results");
if (results) {
  const heading = document.createElement("h1");
  heading.textContent = "Search";
  results.before(heading);
}
