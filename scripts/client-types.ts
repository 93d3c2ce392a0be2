/**
 * Generates src/dashboard/api-types.ts, the types of the dashboard's client and the names of a link's settings, from the OpenAPI
 * document.
 */
import { openApiDocument } from '../src/api/openapi.ts';
import { routes } from '../src/api/routes.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly readOnly?: boolean;
}

interface Operation {
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { required?: boolean; content: { 'application/json': { schema: Schema } } };
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema?: Schema }> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const clientTypesPath = new URL('../src/dashboard/api-types.ts', import.meta.url).pathname;

export function clientTypes(): string {
  const document = openApiDocument(routes, 'http://localhost') as unknown as Document;
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`,
  );
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `  '${method.toUpperCase()} ${path}': ${callOf(operation)};\n`,
    ),
  );
  return [
    '// Made by `npm run client` from the OpenAPI document. Not changed by hand.\n\n',
    schemas.join('\n'),
    `\nexport interface Calls {\n${calls.join('')}}\n`,
    `\nexport const linkSettings = [${linkSettings(document)
      .map((name) => `'${name}'`)
      .join(', ')}] as const;\n`,
  ].join('');
}

/** The fields of a link that a creation takes as well. */
function linkSettings({ paths, components }: Document): string[] {
  const body = paths['/api/v1/link']?.post?.requestBody?.content['application/json'].schema.properties ?? {};
  const answered = components.schemas.Link?.properties ?? {};
  return Object.keys(answered).filter((name) => body[name] !== undefined && !body[name].readOnly);
}

function callOf({ parameters = [], requestBody, responses }: Operation): string {
  const parts: string[] = [];
  for (const location of ['path', 'query'] as const) {
    const fields = parameters.filter((parameter) => parameter.in === location);
    if (fields.length === 0) continue;
    const lines = fields.map(({ name, required, schema }) => {
      const isOptional = location === 'query' || !required;
      return `${key(name)}${isOptional ? '?' : ''}: ${location === 'path' ? 'string | number' : queryType(schema)}`;
    });
    parts.push(`${location === 'path' ? 'params' : 'query'}: { ${lines.join('; ')} }`);
  }
  if (requestBody) {
    const type = typeOf(requestBody.content['application/json'].schema);
    parts.push(`body${requestBody.required ? '' : '?'}: ${type}`);
  }
  parts.push(`answer: ${answerOf(responses)}`);
  return `{ ${parts.join('; ')} }`;
}

function answerOf(responses: Operation['responses']): string {
  for (const [status, { content }] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue;
    const schema = content?.['application/json']?.schema;
    return schema ? typeOf(schema) : 'undefined';
  }
  return 'undefined';
}

/** Query strings are text in the end, so numbers and booleans are accepted too. */
const queryType = (schema: Schema): string =>
  schema.enum ? `${typeOf(schema)} | undefined` : 'string | number | boolean | undefined';

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' | ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (types.length === 0) return 'unknown';
  return types.map((type) => plainType(type, schema)).join(' | ');
}

function plainType(type: string, schema: Schema): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return `readonly (${schema.items ? typeOf(schema.items) : 'unknown'})[]`;
  if (type !== 'object') return type;
  const { properties, required = [], additionalProperties } = schema;
  if (!properties) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
    return `Readonly<Record<string, ${values}>>`;
  }
  const fields = Object.entries(properties).flatMap(([name, property]) =>
    property.readOnly
      ? []
      : `readonly ${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(property)}`,
  );
  return `{ ${fields.join('; ')} }`;
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);

if (import.meta.main) await Bun.write(clientTypesPath, clientTypes());
