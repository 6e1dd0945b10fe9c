// Draws each plot when it comes near the screen, so that a large page opens at once.
(function () {
  "use strict";
  function dark() { return window.matchMedia("(prefers-color-scheme: dark)").matches; }
  function dress(layout) {
    var ink = dark() ? "#e8e6e1" : "#1d1f24", line = dark() ? "#353941" : "#dcd8cf";
    var dressed = Object.assign({}, layout, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: Object.assign({ family: "system-ui, sans-serif", size: 13 }, layout.font || {}, { color: ink })
    });
    Object.keys(layout).filter(function (k) { return /^[xy]axis\d*$/.test(k); }).concat(["xaxis", "yaxis"]).forEach(function (k) {
      dressed[k] = Object.assign({ gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true }, layout[k] || {});
    });
    return dressed;
  }
  function draw(place) {
    var plot = JSON.parse(document.getElementById(place.dataset.plot).textContent);
    place.textContent = "";
    window.Plotly.react(place, plot.data, dress(plot.layout || {}), { responsive: true, displaylogo: false });
    place.dataset.drawn = "yes";
  }
  document.addEventListener("DOMContentLoaded", function () {
    var places = Array.prototype.slice.call(document.querySelectorAll(".plot"));
    if (!window.Plotly) { return; }
    var watcher = new IntersectionObserver(function (entries) {
      entries.forEach(function (entry) {
        if (entry.isIntersecting && !entry.target.dataset.drawn) { draw(entry.target); }
      });
    }, { rootMargin: "400px" });
    places.forEach(function (place) { watcher.observe(place); });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
      places.forEach(function (place) { if (place.dataset.drawn) { draw(place); } });
    });
    window.addEventListener("beforeprint", function () {
      places.forEach(function (place) { if (!place.dataset.drawn) { draw(place); } });
    });
  });
})();
