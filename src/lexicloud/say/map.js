// The map: named points on a canvas, with regions, colours and marks, zoom, search, and details on a click.
// One file for the web app, report pages and notebooks. It needs nothing else and loads nothing. Every text is set as
// text. What is written, which colours and marks, and how well it fits is decided in Python (say/map_block.py).
(function () {
  "use strict";
  if (window.lexicloudMap) {
    window.lexicloudMap.drawAll();
    return;
  }

  const FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif";
  const THEMES = {
    light: { paper: "#ffffff", ink: "#1d1f24", soft: "#5b606b", line: "#dcd8cf", panel: "#ffffff" },
    dark: { paper: "#14161a", ink: "#eceae4", soft: "#a5a9b3", line: "#3a3e47", panel: "#1d2026" },
  };
  const FEW = 400; // up to so many points each should have its name, at a distance if necessary
  const OBSTACLES = 1500; // up to so many points no name may cover one
  const NARROW = 520; // below so many pixels a map is a phone's
  const HELD = 6; // a point this many pixels away or nearer is pointed at

  function el(name, style, ...children) {
    const made = document.createElement(name);
    Object.assign(made.style, style || {});
    made.append(...children);
    return made;
  }

  /** Tell whether the page around the map is dark: by its setting, else by its background, else by the system. */
  function isDark(place) {
    const set = document.documentElement.dataset.theme;
    if (set === "dark" || set === "light") return set === "dark";
    for (let at = place; at; at = at.parentElement) {
      const found = getComputedStyle(at).backgroundColor.match(/[\d.]+/g);
      if (found && (found.length < 4 || Number(found[3]) > 0.5))
        return (+found[0] + +found[1] + +found[2]) / 3 < 110;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches;
  }

  /** Return a colour made lighter, for a dark page. */
  function onDark(colour) {
    const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    return `rgb(${parts.map((part) => part + (255 - part) * 0.32).join(",")})`;
  }

  /** Draw a mark around (x, y); the caller fills or strokes. */
  const SHAPES = {
    circle(c, x, y, r) {
      c.arc(x, y, r, 0, 7);
    },
    ring(c, x, y, r) {
      c.arc(x, y, r, 0, 7);
      c.moveTo(x + r * 0.5, y);
      c.arc(x, y, r * 0.5, 0, 7, true);
    },
    square(c, x, y, r) {
      c.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
    },
    bar(c, x, y, r) {
      c.rect(x - r * 0.55, y - r * 1.2, r * 1.1, r * 2.4);
    },
    triangle(c, x, y, r) {
      corners(c, x, y, r * 1.25, 3, -Math.PI / 2);
    },
    down(c, x, y, r) {
      corners(c, x, y, r * 1.25, 3, Math.PI / 2);
    },
    diamond(c, x, y, r) {
      corners(c, x, y, r * 1.25, 4, 0);
    },
    star(c, x, y, r) {
      corners(c, x, y, r * 1.4, 10, -Math.PI / 2, 0.45);
    },
    plus(c, x, y, r) {
      c.rect(x - r * 1.2, y - r * 0.42, r * 2.4, r * 0.84);
      c.rect(x - r * 0.42, y - r * 1.2, r * 0.84, r * 2.4);
    },
    cross(c, x, y, r) {
      corners(c, x, y, r * 1.35, 8, 0, 0.42);
    },
  };
  function corners(c, x, y, r, n, turn, inner) {
    for (let i = 0; i < n; i += 1) {
      const far = inner && i % 2 ? r * inner : r;
      const angle = turn + (2 * Math.PI * i) / n;
      c[i ? "lineTo" : "moveTo"](x + far * Math.cos(angle), y + far * Math.sin(angle));
    }
    c.closePath();
  }

  /** Takes the calls of a canvas that the map makes, and writes them as SVG. */
  class Pen {
    constructor(measure) {
      this.measure = measure;
      this.parts = [];
      this.globalAlpha = 1;
      this.font = `12px ${FONT}`;
      this.path = "";
    }
    beginPath() {
      this.path = "";
    }
    closePath() {
      this.path += "Z";
    }
    moveTo(x, y) {
      this.path += `M${x} ${y}`;
    }
    lineTo(x, y) {
      this.path += `L${x} ${y}`;
    }
    rect(x, y, w, h) {
      this.path += `M${x} ${y}h${w}v${h}h${-w}Z`;
    }
    arc(x, y, r, _from, _to, back) {
      const turn = `a${r} ${r} 0 1 ${back ? 0 : 1} `;
      this.path += `M${x + r} ${y}${turn}${-2 * r} 0${turn}${2 * r} 0`;
    }
    measureText(text) {
      this.measure.font = this.font;
      return this.measure.measureText(text);
    }
    fill() {
      this.put("path", { d: this.path, fill: this.fillStyle });
    }
    stroke() {
      this.put("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
    }
    strokeText(text, x, y) {
      this.write(text, x, y, {
        fill: "none",
        stroke: this.strokeStyle,
        "stroke-width": this.lineWidth,
        "stroke-linejoin": "round",
      });
    }
    fillText(text, x, y) {
      this.write(text, x, y, { fill: this.fillStyle });
    }
    write(text, x, y, look) {
      const anchor = this.textAlign === "center" ? "middle" : "start";
      // Attributes and no style: pages that forbid inline styles would block it.
      const [, weight = 400, size, family] = this.font.match(/^(?:(\d+) )?([\d.]+px) (.*)$/);
      const font = { "font-weight": weight, "font-size": size, "font-family": family };
      const place = { x, y, "text-anchor": anchor, "dominant-baseline": "central" };
      this.put("text", { ...place, ...font, ...look }, text);
    }
    put(name, attributes, text) {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (this.globalAlpha < 1) made.setAttribute("opacity", this.globalAlpha);
      if (text) made.textContent = text;
      this.parts.push(made);
    }
  }

  class LexMap {
    constructor(place, data, options) {
      this.place = place;
      this.data = { ...data, regions: data.regions.map((region) => ({ ...region })) };
      this.options = options || {};
      this.upright = false;
      this.colouring = 0;
      this.only = null;
      this.found = null;
      this.chosen = -1;
      this.under = -1;
      this.zoom = 1;
      this.cx = 0;
      this.cy = 0; // the point in the middle of the canvas, in the units of the data
      this.n = data.x.length;
      const right = Math.max(1, ...range(data.x)),
        top = Math.max(1, ...range(data.y));
      this.middle = [right / 2, top / 2];
      this.extent = [right, top];
      this.order = data.weights.map((_, i) => i).sort((a, b) => data.weights[b] - data.weights[a] || a - b);
      this.build();
      this.reset();
      new ResizeObserver(() => this.resize()).observe(this.frame);
      for (const media of ["(prefers-color-scheme: dark)", "print"]) {
        matchMedia(media).addEventListener("change", () => this.resize());
      }
      new MutationObserver(() => this.resize()).observe(document.documentElement, {
        attributeFilter: ["data-theme"],
      });
    }

    // ---- controls around the canvas

    build() {
      const { data } = this;
      this.canvas = el("canvas", {
        display: "block",
        width: "100%",
        height: "100%",
        touchAction: "pan-y",
        cursor: "grab",
        outlineOffset: "-3px",
      });
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", `${data.alt} Arrow keys move, + and − zoom, 0 shows all.`);
      this.bubble = el("div", {
        position: "absolute",
        display: "none",
        pointerEvents: "none",
        maxWidth: "22rem",
        padding: ".35rem .6rem",
        borderRadius: "4px",
        font: `13px/1.4 ${FONT}`,
        boxShadow: "0 2px 8px #0004",
        zIndex: 2,
        overflowWrap: "anywhere",
      });
      this.bubble.setAttribute("aria-hidden", "true");
      this.frame = el(
        "div",
        {
          position: "relative",
          width: "100%",
          maxHeight: "min(78vh, var(--height, 40rem))",
          minHeight: "20rem",
          overflow: "hidden",
          borderRadius: "4px",
        },
        this.canvas,
        this.bubble,
        this.buttons(),
      );
      this.told = el("div", {
        minHeight: "1.5em",
        font: `14px/1.5 ${FONT}`,
        padding: ".3rem 0",
        overflowWrap: "anywhere",
      });
      this.told.setAttribute("role", "status");
      this.legend = el("div", {
        display: "flex",
        flexWrap: "wrap",
        gap: ".15rem .3rem",
        maxHeight: "7.5rem",
        overflowY: "auto",
        padding: ".3rem 0",
      });
      this.legend.setAttribute("role", "group");
      this.place.replaceChildren(this.tools(), this.frame, this.told, this.legend);
      this.place.classList.add("lexmap-drawn");
      this.listen();
    }

    tools() {
      const { data } = this;
      this.search = el("input", {
        font: `14px ${FONT}`,
        padding: ".3rem .5rem",
        minWidth: "9rem",
        maxWidth: "16rem",
        flex: "1",
      });
      this.search.type = "search";
      this.search.placeholder = `Find a ${data.thing} …`;
      this.search.setAttribute("aria-label", `Find a ${data.thing} on the map`);
      this.search.addEventListener("input", () => this.look());
      this.search.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
          event.preventDefault();
          this.go();
        }
      });
      const parts = [this.search];
      if (data.colourings.length > 1) {
        const select = el("select", { font: `14px ${FONT}`, padding: ".25rem .3rem" });
        data.colourings.forEach((one, i) => {
          const option = el("option", {}, one.name);
          option.value = i;
          select.append(option);
        });
        select.addEventListener("change", () => {
          this.colouring = Number(select.value);
          this.only = null;
          this.list();
          this.draw();
        });
        parts.push(
          el(
            "label",
            {
              font: `14px ${FONT}`,
              display: "inline-flex",
              gap: ".4rem",
              alignItems: "center",
              whiteSpace: "nowrap",
            },
            "coloured by ",
            select,
          ),
        );
      }
      return el(
        "div",
        { display: "flex", flexWrap: "wrap", gap: ".5rem 1rem", alignItems: "center", paddingBottom: ".4rem" },
        ...parts,
      );
    }

    buttons() {
      const make = (sign, label, act) => {
        const made = el(
          "button",
          {
            width: "2.1rem",
            height: "2.1rem",
            font: `18px/1 ${FONT}`,
            padding: 0,
            borderRadius: "4px",
            cursor: "pointer",
          },
          sign,
        );
        made.type = "button";
        made.setAttribute("aria-label", label);
        made.title = label;
        made.addEventListener("click", act);
        return made;
      };
      this.buttonList = [
        make("+", "Zoom in", () => this.scale(1.6)),
        make("−", "Zoom out", () => this.scale(1 / 1.6)),
        make("⟲", "Show all", () => {
          this.reset();
          this.draw();
        }),
      ];
      return el(
        "div",
        {
          position: "absolute",
          right: ".5rem",
          top: ".5rem",
          display: "flex",
          flexDirection: "column",
          gap: ".25rem",
        },
        ...this.buttonList,
      );
    }

    /** Draw the groups as buttons: one click shows only a group, another click all again. */
    list() {
      const { groups, name } = this.data.colourings[this.colouring];
      this.legend.setAttribute("aria-label", `Groups by ${name}`);
      this.legend.replaceChildren(
        ...(groups.length > 1 ? groups : []).map((group, i) => {
          const mark = el("canvas", { width: "14px", height: "14px", verticalAlign: "-2px", marginRight: "4px" });
          mark.width = mark.height = 28;
          const c = mark.getContext("2d");
          c.fillStyle = this.tint(group.colour);
          c.beginPath();
          SHAPES[group.mark](c, 14, 14, 9);
          c.fill();
          mark.setAttribute("aria-hidden", "true");
          const button = el(
            "button",
            {
              font: `12.5px/1.3 ${FONT}`,
              padding: ".12rem .4rem",
              border: "1px solid transparent",
              borderRadius: "3px",
              background: "none",
              color: "inherit",
              cursor: "pointer",
              textAlign: "left",
            },
            mark,
            `${group.name} `,
          );
          button.append(el("span", { opacity: "0.75" }, String(group.size)));
          button.type = "button";
          button.setAttribute("aria-pressed", String(this.only === i));
          if (this.only === i) button.style.borderColor = "currentColor";
          button.addEventListener("click", () => {
            this.only = this.only === i ? null : i;
            this.list();
            this.legend.children[i].focus();
            this.draw();
          });
          return button;
        }),
      );
    }

    // ---- pointing, moving, zooming

    listen() {
      const { canvas } = this;
      const fingers = new Map();
      let moved = 0;
      canvas.addEventListener("pointerdown", (event) => {
        fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
        moved = 0;
        if (event.pointerType === "mouse" || this.zoom > 1.01) canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", (event) => {
        const last = fingers.get(event.pointerId);
        if (!last) {
          this.point(event.offsetX, event.offsetY);
          return;
        }
        const dx = event.offsetX - last[0],
          dy = event.offsetY - last[1];
        moved += Math.abs(dx) + Math.abs(dy);
        if (fingers.size === 2) {
          const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
          const was = Math.hypot(last[0] - other[0], last[1] - other[1]) || 1;
          const now = Math.hypot(event.offsetX - other[0], event.offsetY - other[1]);
          this.scale(now / was, (event.offsetX + other[0]) / 2, (event.offsetY + other[1]) / 2);
        } else if (event.pointerType === "mouse" || this.zoom > 1.01) this.move(-dx, -dy);
        fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      });
      const up = (event) => {
        if (fingers.delete(event.pointerId) && moved < 6 && event.type === "pointerup")
          this.choose(this.at(event.offsetX, event.offsetY, event.pointerType === "mouse" ? HELD : 16));
      };
      canvas.addEventListener("pointerup", up);
      canvas.addEventListener("pointercancel", up);
      canvas.addEventListener("pointerleave", () => this.point(-99, -99));
      canvas.addEventListener("dblclick", (event) =>
        this.scale(event.shiftKey ? 0.5 : 2, event.offsetX, event.offsetY),
      );
      // The wheel scrolls the page, unless Ctrl is held (as on other maps) or the map was clicked.
      canvas.addEventListener(
        "wheel",
        (event) => {
          if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
          event.preventDefault();
          this.scale(Math.exp(-event.deltaY * 0.0018), event.offsetX, event.offsetY);
        },
        { passive: false },
      );
      const step = 60;
      const keys = {
        ArrowLeft: () => this.move(-step, 0),
        ArrowRight: () => this.move(step, 0),
        ArrowUp: () => this.move(0, -step),
        ArrowDown: () => this.move(0, step),
        "+": () => this.scale(1.4),
        "=": () => this.scale(1.4),
        "-": () => this.scale(1 / 1.4),
        0: () => {
          this.reset();
          this.draw();
        },
        Escape: () => this.choose(-1),
      };
      canvas.addEventListener("keydown", (event) => {
        if (keys[event.key] && !event.ctrlKey && !event.metaKey) {
          event.preventDefault();
          keys[event.key]();
        }
      });
    }

    reset() {
      this.zoom = 1;
      [this.cx, this.cy] = this.middle;
    }

    move(dx, dy) {
      this.cx += dx / this.unit;
      this.cy -= dy / this.unit;
      this.keep();
      this.draw();
    }

    scale(by, x = this.w / 2, y = this.h / 2) {
      const before = [this.cx + (x - this.w / 2) / this.unit, this.cy - (y - this.h / 2) / this.unit];
      this.zoom = Math.min(200, Math.max(1, this.zoom * by));
      this.fit();
      this.cx = before[0] - (x - this.w / 2) / this.unit;
      this.cy = before[1] + (y - this.h / 2) / this.unit;
      if (this.zoom === 1) this.reset();
      this.keep();
      this.draw();
    }

    /** Keep the middle of the view on the map. */
    keep() {
      this.cx = Math.min(this.extent[0], Math.max(0, this.cx));
      this.cy = Math.min(this.extent[1], Math.max(0, this.cy));
      this.canvas.style.touchAction = this.zoom > 1.01 ? "none" : "pan-y";
    }

    px(x) {
      return this.w / 2 + (x - this.cx) * this.unit;
    }

    py(y) {
      return this.h / 2 - (y - this.cy) * this.unit;
    }

    /** Return the point nearest to a place on the canvas, or −1. */
    at(x, y, reach = HELD) {
      const group = this.data.colourings[this.colouring].of;
      let best = -1,
        far = (reach + this.radius) ** 2;
      for (let i = 0; i < this.n; i += 1) {
        if (this.only !== null && group[i] !== this.only) continue;
        const dx = this.px(this.data.x[i]) - x,
          dy = this.py(this.data.y[i]) - y,
          d = dx * dx + dy * dy;
        if (d < far) {
          far = d;
          best = i;
        }
      }
      return best;
    }

    point(x, y) {
      const i = x < 0 ? -1 : this.at(x, y);
      if (i === this.under) return;
      this.under = i;
      this.canvas.style.cursor = i < 0 ? "grab" : "pointer";
      const { bubble } = this;
      bubble.style.display = i < 0 ? "none" : "block";
      if (i >= 0) {
        bubble.replaceChildren(
          el("strong", {}, this.data.names[i]),
          el("br"),
          short(this.data.told[i], 220),
          el("br"),
          el("span", { opacity: "0.8" }, this.about(i)),
        );
        const left = this.px(this.data.x[i]),
          top = this.py(this.data.y[i]);
        bubble.style.left = `${Math.max(4, Math.min(left + 12, this.w - bubble.offsetWidth - 4))}px`;
        const below = top + 14 + bubble.offsetHeight <= this.h;
        bubble.style.top = `${below ? top + 14 : Math.max(4, top - 14 - bubble.offsetHeight)}px`;
      }
      this.draw();
    }

    /** Return the groups that a point belongs to. */
    about(i) {
      return this.data.colourings
        .filter((one) => one.of[i] >= 0 && one.groups.length > 1)
        .map((one) => one.groups[one.of[i]].name)
        .join(", ");
    }

    choose(i) {
      this.chosen = i;
      const { names, told } = this.data;
      this.told.replaceChildren(
        ...(i < 0
          ? []
          : [el("strong", {}, names[i]), ` – ${told[i]} `, el("span", { opacity: "0.8" }, this.about(i))]),
      );
      if (i >= 0)
        this.place.dispatchEvent(
          new CustomEvent("lexicloud:point", {
            bubbles: true,
            detail: { number: i, name: names[i], told: told[i], thing: this.data.thing },
          }),
        );
      this.draw();
    }

    /** Look for a name, as if it were typed. */
    find(name) {
      this.search.value = name;
      this.look();
    }

    /** Mark what the search finds. */
    look() {
      const asked = this.search.value.trim().toLowerCase();
      const { names, told, thing } = this.data;
      const whole = thing === "sentence";
      this.found =
        asked.length < 2
          ? null
          : names
              .map((_, i) => i)
              .filter(
                (i) => names[i].toLowerCase().includes(asked) || (whole && told[i].toLowerCase().includes(asked)),
              );
      this.found?.sort((a, b) => names[a].length - names[b].length || a - b);
      this.told.textContent =
        this.found === null
          ? ""
          : this.found.length
            ? `${this.found.length.toLocaleString("en")} found`
            : `No ${thing} here has “${this.search.value.trim()}”.`;
      this.draw();
    }

    /** Go to the first point that was found, or, of sentences, show all that were found; select the first. */
    go() {
      if (!this.found?.length) return;
      const few = this.found.slice(0, this.data.thing === "sentence" ? this.found.length : 1);
      const xs = few.map((i) => this.data.x[i]),
        ys = few.map((i) => this.data.y[i]);
      const [left, right] = range(xs),
        [low, high] = range(ys);
      this.zoom =
        few.length > 1
          ? Math.max(1, 0.7 * Math.min(this.extent[0] / (right - left || 1), this.extent[1] / (high - low || 1)))
          : 5;
      this.zoom = Math.min(this.zoom, 12);
      this.cx = (left + right) / 2;
      this.cy = (low + high) / 2;
      this.keep();
      this.fit();
      this.choose(this.found[0]);
    }

    // ---- drawing

    tint(colour) {
      return this.dark ? onDark(colour) : colour;
    }

    resize() {
      const printing = matchMedia("print").matches;
      const dark = !printing && isDark(this.place.parentElement || this.place);
      if (dark !== this.dark || !this.theme) {
        this.dark = dark;
        this.theme = THEMES[dark ? "dark" : "light"];
        this.sprites = {};
        const { theme } = this;
        Object.assign(this.frame.style, { background: theme.paper, border: `1px solid ${theme.line}` });
        Object.assign(this.bubble.style, {
          background: theme.panel,
          color: theme.ink,
          border: `1px solid ${theme.line}`,
        });
        for (const button of this.buttonList)
          Object.assign(button.style, {
            background: theme.panel,
            color: theme.ink,
            border: `1px solid ${theme.line}`,
          });
        this.told.style.color = theme.ink;
        this.legend.style.color = theme.ink;
        this.list();
      }
      this.w = this.frame.clientWidth;
      const [wide, high] = this.upright ? [...this.extent].reverse() : this.extent;
      if (this.w) this.stand(this.w < NARROW && wide > high);
      // The height follows the shape of the points, within the limits of the page.
      this.frame.style.aspectRatio = String(
        Math.min(2.3, Math.max(0.72, (1.15 * this.extent[0]) / (this.extent[1] + 900))),
      );
      this.h = this.frame.clientHeight;
      this.ratio = printing ? 3 : Math.min(3, window.devicePixelRatio || 1);
      this.canvas.width = Math.max(1, this.w * this.ratio);
      this.canvas.height = Math.max(1, this.h * this.ratio);
      this.sprites = {};
      this.fit();
      this.paint();
    }

    /** On a phone a wide map stands upright, reflected so that what is top left stays there; names have more room. */
    stand(upright) {
      if (upright === this.upright) return;
      this.upright = upright;
      const { data } = this,
        [wide, high] = this.extent;
      [data.x, data.y] = [data.y.map((y) => high - y), data.x.map((x) => wide - x)];
      for (const region of data.regions) [region.x, region.y] = [high - region.y, wide - region.x];
      this.extent = [high, wide];
      this.middle = [high / 2, wide / 2];
      this.reset();
    }

    /** Return how many pixels a unit of the data takes. */
    fit() {
      const room = Math.min(56, this.w * 0.08);
      this.unit =
        Math.min((this.w - 2 * room) / this.extent[0], (this.h - 2 * room * 0.7) / this.extent[1]) * this.zoom;
      const base = Math.sqrt((this.w * this.h) / this.n) * 0.13;
      this.radius = Math.min(9, Math.max(1.1, Math.min(5.5, base)) * Math.sqrt(Math.min(this.zoom, 9)) ** 0.8);
    }

    draw() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.paint();
      });
    }

    /** Return a mark, drawn once and copied for each point. */
    sprite(group, faint) {
      const key = `${group?.colour} ${group?.mark} ${Math.floor(this.radius * 100)} ${faint}`;
      if (!this.sprites[key]) {
        const r = this.radius * this.ratio,
          side = Math.ceil(r * 3.4) + 2;
        const made = document.createElement("canvas");
        made.width = made.height = side;
        const c = made.getContext("2d");
        c.globalAlpha = faint ? 0.12 : this.n > 1500 ? 0.75 : 0.92;
        c.fillStyle = group ? this.tint(group.colour) : "#9a9a9a";
        c.beginPath();
        SHAPES[group?.mark || "circle"](c, side / 2, side / 2, r);
        c.fill();
        if (this.n <= 1500 && !faint) {
          c.lineWidth = this.ratio * 0.8;
          c.strokeStyle = this.theme.paper;
          c.stroke();
        }
        this.sprites[key] = made;
      }
      return this.sprites[key];
    }

    paint() {
      if (!this.w || !this.h) return;
      const { data, ratio } = this,
        c = this.canvas.getContext("2d"),
        { groups, of } = data.colourings[this.colouring];
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.fillStyle = this.theme.paper;
      c.fillRect(0, 0, this.canvas.width, this.canvas.height);
      this.clouds(c);
      const shown = this.isShown();
      const faded = this.only !== null || this.found;
      for (const round of faded ? [false, true] : [true]) {
        for (let i = 0; i < this.n; i += 1) {
          if (faded && shown(i) !== round) continue;
          const x = this.px(data.x[i]),
            y = this.py(data.y[i]);
          if (x < -20 || y < -20 || x > this.w + 20 || y > this.h + 20) continue;
          const stamp = this.sprite(groups[of[i]], !round);
          // Whole pixels: a mark between two of them is blurred.
          const left = Math.floor(x * ratio - (stamp.width - 1) / 2),
            top = Math.floor(y * ratio - (stamp.height - 1) / 2);
          c.drawImage(stamp, left, top);
        }
      }
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.taken = [[this.w - 46, 0, this.w, 122]]; // the buttons
      for (const i of [this.chosen, this.under]) if (i >= 0) this.circle(c, i);
      this.write(c, shown, this.found);
    }

    /** Tell which points are emphasised: those of the selected group, and those that the search found. */
    isShown() {
      const { of } = this.data.colourings[this.colouring],
        hits = this.found && new Set(this.found);
      return (i) => (this.only === null || of[i] === this.only) && (!hits || hits.has(i));
    }

    /** Draw a faint cloud in the colour of its region behind each point, where there are few points. */
    clouds(c) {
      const themes = this.data.colourings.find((one) => one.name === "theme");
      if (!themes || this.n > FEW) return;
      for (let i = 0; i < this.n; i += 1) {
        const x = this.px(this.data.x[i]) * this.ratio,
          y = this.py(this.data.y[i]) * this.ratio,
          r = 46 * this.ratio * Math.min(1, this.w / 1000);
        const shade = c.createRadialGradient(x, y, 0, x, y, r),
          colour = themes.groups[themes.of[i]].colour;
        shade.addColorStop(0, `${colour}1c`);
        shade.addColorStop(1, `${colour}00`);
        c.fillStyle = shade;
        c.fillRect(x - r, y - r, 2 * r, 2 * r);
      }
    }

    circle(c, i) {
      c.beginPath();
      c.arc(this.px(this.data.x[i]), this.py(this.data.y[i]), this.radius + 4, 0, 7);
      c.lineWidth = 2;
      c.strokeStyle = this.theme.ink;
      c.stroke();
    }

    // ---- names: none ever covers another

    write(c, shown, hits) {
      const { data } = this;
      c.lineJoin = "round";
      c.textBaseline = "middle";
      const few = this.n <= FEW;
      if (data.named) {
        if (this.n <= OBSTACLES) this.bar();
        if (this.chosen >= 0) this.name(c, this.chosen, data.names[this.chosen], this.theme.ink, true, few);
        if (hits) for (const i of this.found.slice(0, 60)) this.name(c, i, data.names[i], this.inkOf(i), true, few);
      }
      if (!few) this.regions(c);
      if (data.named) this.names(c, shown, few);
      if (few) this.regions(c);
    }

    /** Add the points that no name may cover. */
    bar() {
      const r = this.radius * 0.9;
      for (let i = 0; i < this.n; i += 1) {
        const x = this.px(this.data.x[i]),
          y = this.py(this.data.y[i]);
        this.taken.push([x - r, y - r, x + r, y + r]);
      }
    }

    inkOf(i) {
      const { groups, of } = this.data.colourings[this.colouring];
      return of[i] >= 0 ? this.tint(groups[of[i]].colour) : this.theme.ink;
    }

    names(c, shown, few) {
      const { data } = this,
        { groups, of, name } = data.colourings[this.colouring];
      const together = data.groupsNamed && name !== "theme" && this.zoom < 3 && this.only === null;
      if (together) {
        groups.forEach((group, g) => {
          const i = this.central(g, of);
          if (i >= 0 && shown(i)) this.name(c, i, group.name, this.tint(group.colour), true, few);
        });
        if (this.zoom < 1.7) return;
      }
      let left = 700;
      for (const i of this.order) {
        if (!left) break;
        if (
          i !== this.chosen &&
          shown(i) &&
          this.name(c, i, data.names[i], this.inkOf(i), false, few && !data.groupsNamed)
        )
          left -= 1;
      }
    }

    /** Return the point of a group that is nearest to the group's middle. */
    central(group, of) {
      const rows = [];
      for (let i = 0; i < this.n; i += 1) if (of[i] === group) rows.push(i);
      if (!rows.length) return -1;
      const middle = (values) => {
        const sorted = rows.map((i) => values[i]).sort((a, b) => a - b);
        return sorted[sorted.length >> 1];
      };
      const x = middle(this.data.x),
        y = middle(this.data.y);
      const far = (i) => (this.data.x[i] - x) ** 2 + (this.data.y[i] - y) ** 2;
      return rows.reduce((best, i) => (far(i) < far(best) ? i : best));
    }

    regions(c) {
      const { regions, colourings } = this.data;
      const themes = colourings[this.colouring].name === "theme" || this.n <= FEW;
      const order = regions
        .map((_, i) => i)
        .sort((a, b) => regions[a].level - regions[b].level || regions[b].size - regions[a].size);
      for (const i of order) this.region(c, regions[i], themes);
    }

    region(c, region, themes) {
      const small = this.w < NARROW;
      const size = region.level === 0 ? (small ? 12.5 : 15) : small ? 11 : 12;
      c.font = `${region.level === 0 ? 700 : 600} ${size}px ${FONT}`;
      const words = region.title.split(" · ");
      const lines = words.length < 3 ? [region.title] : [words.slice(0, 2).join(" · "), words.slice(2).join(" · ")];
      const wide = Math.max(...lines.map((line) => c.measureText(line).width)),
        high = lines.length * size * 1.16;
      const x = this.px(region.x),
        y = this.py(region.y);
      if (x < -50 || y < -50 || x > this.w + 50 || y > this.h + 50) return;
      let best = null,
        least = Infinity;
      for (const ring of this.n > FEW ? [0, 0.5, 1] : [0, 0.5, 1, 1.6, 2.4, 3.4]) {
        for (let step = 0; step < (ring ? 12 : 1); step += 1) {
          const cx = x + Math.cos((Math.PI * step) / 6) * ring * (high + wide / 4),
            cy = y + Math.sin((Math.PI * step) / 6) * ring * high;
          const box = [cx - wide / 2, cy - high / 2, cx + wide / 2, cy + high / 2];
          if (!this.free(box, 4)) continue;
          const cost = this.hidden(box) * 150 + Math.hypot(cx - x, cy - y) / high;
          if (cost < least) {
            least = cost;
            best = [cx, cy, box];
          }
        }
        if (best && this.n > FEW) break;
      }
      if (!best) return;
      this.taken.push(best[2]);
      c.textAlign = "center";
      const ink = themes && region.colour ? this.strong(region.colour) : this.theme.ink;
      lines.forEach((line, k) => this.ink(c, line, best[0], best[1] - high / 2 + (k + 0.5) * size * 1.16, ink, 4));
    }

    /** Return the share of all points that a box would hide; for few points only. */
    hidden([a, b, c, d]) {
      if (this.n > FEW) return 0;
      let inside = 0;
      for (let i = 0; i < this.n; i += 1) {
        const x = this.px(this.data.x[i]),
          y = this.py(this.data.y[i]);
        if (x > a && x < c && y > b && y < d) inside += 1;
      }
      return inside / this.n;
    }

    /** Return a region's colour for its name: darker than its points on a light page, lighter on a dark one. */
    strong(colour) {
      const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
      return `rgb(${parts.map((part) => (this.dark ? part + (255 - part) * 0.55 : part * 0.62)).join(",")})`;
    }

    /** Write a name beside its point, or at a distance with a thin line to it; return false if there is no room. */
    name(c, i, whole, ink, bold, far) {
      const { data } = this,
        x = this.px(data.x[i]),
        y = this.py(data.y[i]);
      if (x < 0 || y < 0 || x > this.w || y > this.h) return false;
      const size = this.n <= 60 || bold ? 12.5 : 11.5,
        text = short(whole, this.w < NARROW ? 24 : 40);
      c.font = `${bold ? 600 : 400} ${size}px ${FONT}`;
      const wide = c.measureText(text).width,
        high = size * 1.15,
        gap = this.radius + 3;
      const sides = [
        [x + gap, y - high / 2],
        [x - gap - wide, y - high / 2],
        [x - wide / 2, y - gap - high],
        [x - wide / 2, y + gap],
        [x + gap * 0.7, y - gap - high * 0.6],
        [x + gap * 0.7, y + gap - high * 0.4],
        [x - gap * 0.7 - wide, y - gap - high * 0.6],
        [x - gap * 0.7 - wide, y + gap - high * 0.4],
      ];
      const near = sides.length;
      if (far) {
        for (const ring of this.w < NARROW ? [2.2, 3.4] : [2.2, 3.4, 4.8, 6.4]) {
          for (let step = 0; step < 12; step += 1) {
            const dx = Math.cos((Math.PI * step) / 6),
              dy = Math.sin((Math.PI * step) / 6),
              away = gap + ring * high;
            sides.push([x + dx * away + (dx > 0.3 ? 0 : dx < -0.3 ? -wide : -wide / 2), y + dy * away - high / 2]);
          }
        }
      }
      const place = sides.findIndex(([left, top]) => this.free([left, top, left + wide, top + high], 1.5));
      if (place < 0) return false;
      const [left, top] = sides[place];
      if (place >= near) {
        c.beginPath();
        c.moveTo(x, y);
        c.lineTo(Math.min(Math.max(x, left), left + wide), Math.min(Math.max(y, top), top + high));
        c.lineWidth = 0.8;
        c.strokeStyle = ink;
        c.globalAlpha = 0.6;
        c.stroke();
        c.globalAlpha = 1;
      }
      this.taken.push([left, top, left + wide, top + high]);
      c.textAlign = "left";
      this.ink(c, text, left, top + high / 2, ink, 3);
      return true;
    }

    free([a, b, c, d], gap) {
      if (a < 2 || b < 2 || c > this.w - 2 || d > this.h - 2) return false;
      return this.taken.every((o) => a - gap > o[2] || c + gap < o[0] || b - gap > o[3] || d + gap < o[1]);
    }

    ink(c, text, x, y, colour, halo) {
      c.lineWidth = halo;
      c.strokeStyle = this.theme.paper;
      c.globalAlpha = 0.85;
      c.strokeText(text, x, y);
      c.globalAlpha = 1;
      c.fillStyle = colour;
      c.fillText(text, x, y);
    }

    /** Return the current view as an SVG: {text, width, height}. */
    svg() {
      const pen = new Pen(this.canvas.getContext("2d")),
        { groups, of } = this.data.colourings[this.colouring];
      pen.put("rect", { width: this.w, height: this.h, fill: this.theme.paper });
      const shown = this.isShown();
      for (let i = 0; i < this.n; i += 1) {
        const x = this.px(this.data.x[i]),
          y = this.py(this.data.y[i]);
        if (x < 0 || y < 0 || x > this.w || y > this.h) continue;
        pen.globalAlpha = shown(i) ? 0.9 : 0.12;
        pen.fillStyle = groups[of[i]] ? this.tint(groups[of[i]].colour) : "#9a9a9a";
        pen.beginPath();
        SHAPES[groups[of[i]]?.mark || "circle"](pen, x, y, this.radius);
        pen.fill();
      }
      pen.globalAlpha = 1;
      this.taken = [];
      this.write(pen, shown, this.found);
      const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      made.setAttribute("viewBox", `0 0 ${this.w} ${this.h}`);
      made.setAttribute("width", this.w);
      made.setAttribute("height", this.h);
      made.setAttribute("role", "img");
      made.setAttribute("aria-label", this.data.alt);
      made.append(...pen.parts);
      return { text: new XMLSerializer().serializeToString(made), width: this.w, height: this.h };
    }
  }

  /** Return the least and the greatest of any number of values. */
  function range(values) {
    let low = Infinity,
      high = -Infinity;
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return [low, high];
  }

  function short(text, length) {
    return text.length > length ? `${text.slice(0, length - 1)}…` : text;
  }

  /** Draw a map into an element; `data` is that of Python's `Map.data()`. */
  function draw(place, data, options) {
    return new LexMap(place, data, options);
  }

  /** Draw every map of a page that is not drawn yet. */
  function drawAll() {
    for (const figure of document.querySelectorAll(".lexmap-figure")) {
      const place = figure.querySelector(".lexmap:not(.lexmap-drawn)"),
        data = figure.querySelector(".lexmap-data");
      if (place && data) draw(place, JSON.parse(data.textContent));
    }
  }

  window.lexicloudMap = { draw, drawAll };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", drawAll);
  else drawAll();
})();
