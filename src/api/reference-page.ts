import { escapeHtml, policyFor } from '../http/html.ts';

type Json = Record<string, unknown>;

const style = `
:root{color-scheme:light dark;--ground:#faf8f5;--ink:#1f1a17;--soft:#6b625b;--line:#e2dbd3;--accent:#b3203a;--code:#f1ece5}
@media(prefers-color-scheme:dark){:root{--ground:#181513;--ink:#efe9e3;--soft:#a89e95;--line:#332e29;--accent:#f0718a;--code:#221e1b}}
*{box-sizing:border-box}
html{scroll-padding-top:16px}
body{margin:0 auto;max-width:1120px;padding:24px 16px 80px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
a{color:inherit;text-decoration-color:var(--line);text-underline-offset:3px}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
h1{font-size:28px;line-height:1.2;margin:0 0 8px}
h2{font-size:20px;margin:56px 0 8px;padding-top:16px;border-top:1px solid var(--line)}
h3{font-size:16px;margin:32px 0 4px;overflow-wrap:anywhere}
h4{font-size:14px;margin:16px 0 4px;color:var(--soft);font-weight:600}
p{margin:0 0 8px;max-width:68ch}
.soft{color:var(--soft)}
.refusals{margin-top:8px;font-size:14px}
code,pre{font:14px/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}
pre{background:var(--code);padding:16px;border-radius:6px;overflow-x:auto}
.method{display:inline-block;min-width:64px;color:var(--accent);font-weight:600}
nav ul{list-style:none;margin:0;padding:0;columns:2;column-gap:40px}
nav li{padding:2px 0;break-inside:avoid}
table{width:100%;border-collapse:collapse;font-size:14px}
td,th{text-align:left;vertical-align:top;padding:6px 16px 6px 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft)}
td:first-child{white-space:nowrap}
@media(max-width:640px){nav ul{columns:1}td:first-child{white-space:normal}td{overflow-wrap:anywhere}}
`.replaceAll('\n', '');

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyFor(style),
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=3600',
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly resource: string;
  readonly json: Json;
}

export const referencePage = (html: string): Response => new Response(html, { headers });

/** The OpenAPI document as a page: it needs no script and no other host. */
export function referenceHtml(document: Json): string {
  const operations = operationsOf(document);
  const resources = [...new Set(operations.map((operation) => operation.resource))];
  const schemas = Object.entries((document.components as { schemas: Record<string, Json> }).schemas);
  const origin = (document.servers as { url: string }[])[0]?.url ?? '';
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>Linnet reference</title><style>${style}</style></head><body>` +
    `<header><h1>Linnet reference</h1><p class="soft">${escapeHtml(String((document.info as Json).description))} ` +
    'The same as a document for programs: <a href="/openapi.json">openapi.json</a>.</p>' +
    `<pre tabindex="0" role="region" aria-label="Example of a call">${escapeHtml(example(origin))}</pre></header>` +
    `<nav aria-label="Operations"><ul>${operations.map(entry).join('')}</ul></nav><main>` +
    resources.map((resource) => section(resource, operations)).join('') +
    refusalsSection(operations) +
    `<h2 id="schemas">Schemas</h2>${schemas.map(([name, schema]) => schemaSection(name, schema)).join('')}` +
    '</main></body></html>'
  );
}

const example = (origin: string): string =>
  `curl ${origin}/api/v1/link \\\n  -H 'api-key: YOUR_KEY' -H 'content-type: application/json' \\\n  -d '{"destination_url":"https://example.com/a/long/address"}'`;

function operationsOf(document: Json): Operation[] {
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, json]) => ({
      method: method.toUpperCase(),
      path,
      id: String(json.operationId),
      resource: (json.tags as string[])[0] ?? 'other',
      json,
    })),
  );
}

const entry = ({ id, method, path }: Operation): string =>
  `<li><a href="#${id}"><code><span class="method">${method}</span>${escapeHtml(path)}</code></a></li>`;

const section = (resource: string, operations: readonly Operation[]): string =>
  `<h2>${escapeHtml(titleOf(resource))}</h2>` +
  operations
    .filter((operation) => operation.resource === resource)
    .map(article)
    .join('');

/** A resource's path segment as a title: `api_key` is "Api key". */
const titleOf = (resource: string): string =>
  (resource.charAt(0).toUpperCase() + resource.slice(1)).replaceAll('_', ' ');

function article({ id, method, path, json }: Operation): string {
  const body = json.requestBody as { content: { 'application/json': { schema: Json } } } | undefined;
  return (
    `<article><h3 id="${id}"><code><span class="method">${method}</span>${escapeHtml(path)}</code></h3>` +
    `<p>${escapeHtml(String(json.summary))}.${describe(json)}</p>` +
    parameters(json.parameters as Json[]) +
    (body ? fields('Body', body.content['application/json'].schema) : '') +
    answers(json.responses as Record<string, Json>) +
    '</article>'
  );
}

const describe = (json: Json): string =>
  json.description ? ` <span class="soft">${prose(String(json.description))}</span>` : '';

/** Backquotes are the only markup in descriptions. */
const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

function parameters(list: readonly Json[]): string {
  if (list.length === 0) return '';
  const rows = list.map((parameter) =>
    row(
      String(parameter.name),
      { ...(parameter.schema as Json), description: parameter.description },
      parameter.required === true,
      ` in ${parameter.in}`,
    ),
  );
  return `<h4>Parameters</h4>${fieldTable(rows)}`;
}

function fields(title: string, schema: Json): string {
  const all = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = (schema.required ?? []) as string[];
  const rows = all.flatMap(([name, property]) =>
    property.readOnly ? [] : row(name, property, required.includes(name)),
  );
  const ignored = all.flatMap(([name, property]) => (property.readOnly ? `<code>${name}</code>` : []));
  const note =
    ignored.length === 0
      ? ''
      : `<p class="soft">Of the answer, and ignored if they are sent back: ${ignored.join(', ')}.</p>`;
  return `<h4>${title}</h4>${fieldTable(rows)}${note}`;
}

const table = (names: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${names.map((name) => `<th>${name}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;

const fieldTable = (rows: readonly string[]): string => table(['Name', 'Type', 'Notes'], rows);

const row = (name: string, schema: Json, required: boolean, location = ''): string =>
  `<tr><td><code>${escapeHtml(name)}</code></td><td>${linked(typeOf(schema))}${location}${required ? ', required' : ''}</td>` +
  `<td>${schema.description ? prose(String(schema.description)) : ''}${bounds(schema)}</td></tr>`;

function typeOf(schema: Json): string {
  if (schema.$ref) return String(schema.$ref).replace('#/components/schemas/', '');
  if (schema.enum) return (schema.enum as unknown[]).map((choice) => `"${choice}"`).join(' or ');
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Json)}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'any');
}

function bounds(schema: Json): string {
  const choices = [schema, ...((schema.anyOf ?? []) as Json[])];
  const maxLength = choices.find((choice) => choice.maxLength !== undefined)?.maxLength;
  const minLength = choices.find((choice) => choice.minLength !== undefined)?.minLength;
  const defaultValue = schema.default;
  return `${minLength === undefined ? '' : ` At least ${minLength} characters.`}${maxLength === undefined ? '' : ` At most ${maxLength} characters.`}${defaultValue === undefined ? '' : ` Default: <code>${escapeHtml(String(defaultValue))}</code>.`}`;
}

/** Success answers in full; refusals are the same everywhere, so only their statuses are listed here. */
function answers(responses: Record<string, Json>): string {
  const [successes, refusals] = [true, false].map((isSuccess) =>
    Object.entries(responses).filter(([status]) => Number(status) < 400 === isSuccess),
  ) as [[string, Json][], [string, Json][]];
  const rows = successes.map(([status, response]) => {
    return `<tr><td><code>${status}</code></td><td>${bodyOf(response)}</td><td>${prose(String(response.description))}</td></tr>`;
  });
  const reasons = refusals.map(
    ([status, { description }]) => `<code title="${escapeHtml(String(description))}">${status}</code>`,
  );
  return (
    `<h4>Answers</h4>${table(['Status', 'Body', 'Meaning'], rows)}` +
    `<p class="soft refusals">Refused with ${reasons.join(', ')}: see <a href="#refusals">refusals</a>.</p>`
  );
}

function bodyOf(response: Json): string {
  const [content] = Object.entries((response.content ?? {}) as Record<string, { schema: Json }>);
  if (!content) return 'no body';
  const [type, { schema }] = content;
  return type === 'application/json' ? linked(typeOf(schema)) : `<code>${escapeHtml(type)}</code>`;
}

/** Every status with which any operation refuses, once. */
function refusalsSection(operations: readonly Operation[]): string {
  const meanings = new Map<string, string>();
  for (const { json } of operations) {
    for (const [status, response] of Object.entries(json.responses as Record<string, Json>)) {
      if (Number(status) >= 400) meanings.set(status, String(response.description));
    }
  }
  const rows = [...meanings]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([status, meaning]) => `<tr><td><code>${status}</code></td><td>${prose(meaning)}</td></tr>`);
  return `<h2 id="refusals">Refusals</h2><p>All of them have the shape of ${linked('Error')}.</p><table><tbody>${rows.join('')}</tbody></table>`;
}

/** Names of schemas link to their descriptions. */
const linked = (type: string): string =>
  escapeHtml(type).replace(/\b(?:[A-Z]\w+)\b/g, (name) => `<a href="#schema-${name}">${name}</a>`);

const schemaSection = (name: string, schema: Json): string =>
  `<article><h3 id="schema-${name}">${escapeHtml(name)}</h3>${schema.description ? `<p class="soft">${prose(String(schema.description))}</p>` : ''}${fields('Fields', schema)}</article>`;
