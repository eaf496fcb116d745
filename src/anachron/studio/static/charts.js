// Live charts: the specifications that the server drew from, drawn again by Vega, without eval.
"use strict";

for (const figure of document.querySelectorAll("[data-chart]")) {
  const drawn = figure.querySelector(".drawn");
  const spec = JSON.parse(figure.querySelector(".spec").textContent);
  const live = document.createElement("div");
  for (const name of ["class", "role", "tabindex", "aria-label"]) live.setAttribute(name, drawn.getAttribute(name));
  const options = { mode: "vega-lite", ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: false, logLevel: vega.Error };
  vegaEmbed(live, spec, options).then((result) => {
    // One picture with one name, as the server draws it: the table below has the figures.
    for (const part of live.querySelectorAll("svg, svg [role]")) for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
    live.querySelector("svg").setAttribute("role", "img");
    live.querySelector("svg").setAttribute("aria-label", live.getAttribute("aria-label"));
    drawn.replaceWith(live);
    result.view.addEventListener("click", (_, item) => {
      const point = item && item.datum && item.datum.point;
      const around = figure.closest("[data-choosing]");
      if (point && around) location.href = around.dataset.choosing + point + "#chosen";
    });
  }, () => live.remove());
}
