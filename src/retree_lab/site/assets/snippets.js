// The first sentence of each page below its title among the results of a search. The sentences are
// a script, since a browser fetches no text for a page that is opened from a file.
"use strict";

const found = document.getElementById("search-results");
if (found) {
  const root = document.documentElement.dataset.content_root;
  const script = document.createElement("script");
  script.src = `${root}_static/first_sentences.js`;
  script.onload = () => {
    const add = () => {
      for (const link of found.querySelectorAll("li > a:only-of-type")) {
        const page = new URL(link.href).pathname.slice(new URL(root, location.href).pathname.length);
        const sentence = window.retreeFirstSentences[page.replace(/\.html$/, "")];
        if (!sentence || link.parentElement.querySelector(".rt-snippet")) continue;
        const text = document.createElement("p");
        text.className = "rt-snippet";
        text.textContent = sentence;
        link.parentElement.append(text);
      }
    };
    new MutationObserver(add).observe(found, { childList: true, subtree: true });
    add();
  };
  document.head.append(script);
}
