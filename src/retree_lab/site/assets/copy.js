// A button beside each command copies it.
"use strict";

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "rt-copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").innerText.trim());
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.append(button);
}

for (const block of document.querySelectorAll("div.highlight-console")) addCopyButton(block);
