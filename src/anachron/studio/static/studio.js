// What pages do beyond reading: files that are dropped, and how far a command is.
"use strict";

for (const drop of document.querySelectorAll("[data-drop]")) {
  const input = drop.querySelector("input[type=file]");
  const over = (is) => (event) => { event.preventDefault(); drop.classList.toggle("over", is); };
  drop.addEventListener("dragover", over(true));
  drop.addEventListener("dragleave", over(false));
  drop.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; drop.requestSubmit(); }
  });
}

for (const bar of document.querySelectorAll("[data-work], [data-explored]")) {
  const events = new EventSource(bar.dataset.explored || "/work/events?work=" + encodeURIComponent(bar.dataset.work));
  const progress = bar.querySelector("progress"), said = bar.querySelector("[role=status]");
  events.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    progress.value = told.share;
    if (told.what) said.textContent = told.what + (told.points ? " · " + told.points : "");
  });
  events.addEventListener("done", () => { events.close(); location.reload(); });
}
