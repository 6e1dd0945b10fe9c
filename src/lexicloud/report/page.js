// Draws each plot when it comes near the screen, and the others one by one once the page has been shown, so that a large
// page opens at once. Plotly itself, whose megabytes take a second to read, waits as plain text until then.
(function () {
  "use strict";
  var darkness = window.matchMedia("(prefers-color-scheme: dark)");
  var narrowness = window.matchMedia("(max-width: 40rem)");
  function dress(layout) {
    var dark = darkness.matches && !printing;
    var ink = dark ? "#e8e6e1" : "#1d1f24", line = dark ? "#353941" : "#dcd8cf", paper = dark ? "#1d2026" : "#ffffff";
    var dressed = Object.assign({}, layout, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: Object.assign({ family: "system-ui, sans-serif", size: 13 }, layout.font || {}, { color: ink }),
      modebar: { bgcolor: "rgba(0,0,0,0)", color: dark ? "#8b909b" : "#8a8578", activecolor: ink },
      hoverlabel: { bgcolor: paper, bordercolor: line, font: { color: ink }, align: "left" }
    });
    ["xaxis", "yaxis"].forEach(function (k) {
      dressed[k] = Object.assign({ gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true, showline: false }, layout[k] || {});
      if (dressed[k].title) { dressed[k].title = Object.assign({ font: { size: 13 } }, dressed[k].title); }
    });
    return dressed;
  }
  // In pixels: what both A4 and Letter have between the margins of the style sheet, less a caption's height.
  var printing = false, paperWidth = 660, paperHeight = 860;
  function plotly() {
    if (!window.Plotly) {
      var script = document.createElement("script");
      script.textContent = document.getElementById("plotly").textContent;
      document.head.appendChild(script);
    }
    return window.Plotly;
  }
  function whenShown(task) {
    window.requestAnimationFrame(function () { window.setTimeout(task, 0); });
  }
  function draw(place) {
    var ink = darkness.matches && !printing ? "#e8e6e1" : "#1d1f24";
    var plot = JSON.parse(document.getElementById(place.dataset.plot).textContent, function (key, value) {
      return value === "@ink" ? ink : value;
    });
    var layout = plot.layout || {}, data = plot.data, narrow = narrowness.matches && !printing;
    if (narrow) {
      // A finger that scrolls the page must not drag the plot.
      layout = Object.assign({}, layout, plot.narrow || {}, { dragmode: false });
      if (plot.narrowData) { data = data.map(function (trace) { return Object.assign({}, trace, plot.narrowData); }); }
    }
    if (printing) {
      var height = Math.min(place.clientHeight, paperHeight);
      layout = Object.assign({}, layout, { autosize: false, width: paperWidth, height: height });
    }
    var first = !place.dataset.drawn;
    if (first) { place.textContent = ""; }
    var config = { responsive: !printing, displaylogo: false, displayModeBar: narrow || printing ? false : "hover" };
    plotly().react(place, data, dress(layout), Object.assign(config, plot.config || {}));
    place.dataset.drawn = "yes";
  }
  function again(places) { places.forEach(function (place) { if (place.dataset.drawn) { draw(place); } }); }
  document.addEventListener("DOMContentLoaded", function () {
    var places = Array.prototype.slice.call(document.querySelectorAll(".plot"));
    if (!document.getElementById("plotly")) { return; }
    var watcher = new IntersectionObserver(function (entries) {
      entries.forEach(function (entry) {
        if (entry.isIntersecting) {
          whenShown(function () { if (!entry.target.dataset.drawn) { draw(entry.target); } });
        }
      });
    }, { rootMargin: "400px" });
    places.forEach(function (place) { watcher.observe(place); });
    window.addEventListener("load", function () { window.setTimeout(drawRest, 500); });
    function drawRest() {
      var waiting = places.filter(function (place) { return !place.dataset.drawn; });
      if (waiting.length) { draw(waiting[0]); window.setTimeout(drawRest, 50); }
    }
    darkness.addEventListener("change", function () { again(places); });
    narrowness.addEventListener("change", function () { again(places); });
    window.addEventListener("beforeprint", function () { printing = true; places.forEach(draw); });
    window.addEventListener("afterprint", function () { printing = false; again(places); });
  });
})();
