// The description of the API, drawn from its own schema.
import { $, el, fill, showFault } from "./core.js";
import { ask } from "./server.js";

function shape(schema, all, depth = 0) {
  if (!schema || depth > 4) return "…";
  if (schema.$ref) return shape(all[schema.$ref.split("/").pop()], all, depth);
  if (schema.anyOf)
    return schema.anyOf
      .filter((one) => one.type !== "null")
      .map((one) => shape(one, all, depth))
      .join(" | ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `[${shape(schema.items, all, depth + 1)}, …]`;
  if (schema.properties) return "an object";
  return schema.type ?? "anything";
}

function fields(schema, all) {
  const whole = schema.$ref ? all[schema.$ref.split("/").pop()] : schema;
  const needed = (name) =>
    whole.required?.includes(name) ? el("span", { class: "faint small" }, " needed") : null;
  const usual = (one) => ((one.default ?? null) === null ? "" : `default ${JSON.stringify(one.default)}`);
  const titles = ["Field", "Takes", ""];
  const head = el(
    "tr",
    {},
    titles.map((name) => el("th", {}, name)),
  );
  const row = ([name, one]) =>
    el(
      "tr",
      {},
      el("td", {}, el("code", {}, name), needed(name)),
      el("td", {}, shape(one, all)),
      el("td", { class: "faint small" }, one.description ?? usual(one)),
    );
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": "Fields" },
    el("table", {}, el("thead", {}, head), el("tbody", {}, Object.entries(whole.properties ?? {}).map(row))),
  );
}

const EXAMPLES = {
  "/api/v1/search": '{"query": "Our ships were attacked on the high seas.", "top": 3}',
  "/api/v1/suggest": '{"sentence": "The farmers suffer from drought.", "look": "surprising"}',
};

(async () => {
  const described = await ask("openapi.json");
  const all = described.components?.schemas ?? {};
  const routes = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => ({ path, method, about })),
  );
  fill(
    $("#routes"),
    routes.map(({ path, method, about }) => {
      const body = about.requestBody?.content?.["application/json"]?.schema;
      const example = EXAMPLES[path];
      const said = (about.description ?? about.summary ?? "").split("\n")[0].replaceAll("`", "");
      const named = about.parameters?.map((one) => `${one.name} (${one.in})`).join(", ");
      return el(
        "details",
        { class: "card route" },
        el(
          "summary",
          {},
          el("code", { class: "verb" }, method.toUpperCase()),
          " ",
          el("code", {}, path),
          el("span", { class: "faint" }, ` ${said}`),
        ),
        body ? fields(body, all) : null,
        named ? el("p", { class: "small" }, `Parameters: ${named}`) : null,
        example
          ? el("pre", {}, `curl -s ${location.origin}${path} -H 'Content-Type: application/json' -d '${example}'`)
          : null,
        el("p", { class: "faint small" }, `Answers: ${Object.keys(about.responses).join(", ")}`),
      );
    }),
  );
})().catch((fault) => showFault($("#routes"), fault));
