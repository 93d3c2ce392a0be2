import { z } from 'zod';
import { keyField } from '../manage/idempotent-call.ts';
import type { Credential } from './authorize.ts';
import type { Endpoint } from './endpoint.ts';
import type { Route } from './routes.ts';
import { answerFields } from './schemas/answer-fields.ts';
import { ErrorAnswer } from './schemas/error.ts';
import { sessionCookieName } from './session-cookie.ts';

type Json = Record<string, unknown>;

const byHeader = [{ apiKey: [] }, { bearer: [] }];
const security = [...byHeader, { session: [] }];
const securityOf: Readonly<Record<Credential, readonly Json[]>> = {
  required: security,
  optional: [...security, {}],
  own: byHeader,
  none: [],
};

/** The OpenAPI 3.1 document, generated from the same schemas that validate requests. */
export function openApiDocument(routes: readonly Route[], origin: string): Json {
  const paths: Record<string, Json> = {};
  for (const { method, path, endpoint } of routes) {
    paths[path] ??= {};
    (paths[path] as Json)[method.toLowerCase()] = operation(method, path, endpoint);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Linnet',
      version: '1',
      description:
        'Short links that stay yours. Every response is JSON; every error has the format of the schema Error.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    paths,
    components: {
      schemas: components(routes),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'api-key',
          description: 'An API key; it may also be sent as a bearer token.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of POST /api/v1/auth/create_tokens, or an API key.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName({ isSecure: origin.startsWith('https:') }),
          description:
            'Set by POST /api/v1/session, for pages of this service: calls other than GET must come from one of them (403 `ORIGIN_FORBIDDEN`). A key or token in a header takes precedence.',
        },
      },
    },
  };
}

function operation(method: string, path: string, endpoint: Endpoint): Json {
  const resource = path.split('/')[3] ?? 'api';
  return {
    operationId: `${method.toLowerCase()}_${path.replace('/api/v1/', '').replace(/[{}]/g, '').replace(/[/.]/g, '_')}`,
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [resource],
    security: securityOf[endpoint.credential],
    parameters: [
      ...parametersOf(endpoint.params, 'path'),
      ...parametersOf(endpoint.query, 'query'),
      ...(endpoint.isIdempotentByKey ? [idempotencyKey] : []),
      ...(endpoint.takesIfMatch ? [ifMatch] : []),
    ],
    ...(endpoint.body
      ? {
          requestBody: {
            required: endpoint.bodyIsOptional !== true,
            content: jsonContent(requestSchema(endpoint.body, endpoint.ignoredFields)),
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(endpoint.statuses).map(([status, description]) => [
          status,
          success(description, endpoint),
        ]),
      ),
      ...Object.fromEntries(
        refusalsOf(method, endpoint).map(([status, description]) => [status, failure(status, description)]),
      ),
    },
  };
}

const idempotencyKey: Json = {
  name: keyField,
  in: 'header',
  required: false,
  description:
    'A text of your own for the thing to create, such as a UUID. If the call is sent again within 24 hours with the same key, it is not carried out again and gets the same response, with the header `Idempotent-Replayed: true`; even if both are sent at once.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '7b0f3f6e-2f0d-4e0a-9d0e-6a4c1f1b2c3d',
};

const ifMatch: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `updated_at` of the link as it was read, in quotes. If the link has changed since then, it is left unchanged: 409 `LINK_CHANGED`.',
  schema: { type: 'string' },
  example: '"2030-01-31T09:30:00.000Z"',
};

const jsonContent = (schema: Json): Json => ({ 'application/json': { schema } });

function requestSchema(body: z.ZodType, ignored: readonly string[]): Json {
  const schema = schemaOf(body, 'input');
  if (ignored.length === 0) return schema;
  return { ...schema, properties: { ...(schema.properties as Json), ...answerFields(ignored) } };
}

function success(description: string, { answer, streams }: Endpoint): Json {
  if (streams !== undefined) return { description, content: { [streams]: { schema: { type: 'string' } } } };
  return answer ? { description, content: jsonContent(schemaOf(answer, 'output')) } : { description };
}

const retryAfter: Json = {
  'Retry-After': { description: 'Seconds until it makes sense to try again.', schema: { type: 'integer' } },
};

const failure = (status: string, description: string): Json => ({
  description,
  ...(/^(?:429|503|504)$/.test(status) ? { headers: retryAfter } : {}),
  content: jsonContent(schemaOf(ErrorAnswer, 'output')),
});

function refusalsOf(
  method: string,
  { body, params, credential, administratorsOnly, streams, isIdempotentByKey, otherErrors = [] }: Endpoint,
): [string, string][] {
  const isChange = method !== 'GET';
  const refusals: [string, string, boolean][] = [
    ['400', 'Something sent can not be used; `field_key` and `error_string` say what.', true],
    ['401', 'The credential is missing, unknown or expired.', true],
    [
      '403',
      'The credential is valid but may not do this; or a cookie came from a page of another site.',
      administratorsOnly || credential === 'optional' || isChange,
    ],
    ['404', 'Not there, or not in your organization.', params !== undefined],
    ['409', 'Taken already, or something stands in the way.', isChange],
    ['413', 'The body is too large.', body !== undefined],
    ['415', 'The body is not announced as JSON.', body !== undefined],
    ['422', 'The Idempotency-Key was sent before with another call or body.', isIdempotentByKey === true],
    [
      '429',
      'Too many attempts, or open streams; `Retry-After` says when to try again.',
      (credential === 'none' && body !== undefined) || streams === 'text/event-stream',
    ],
    ['503', 'The database is away; `Retry-After` says when to try again.', true],
    ['504', 'It took too long, and was given up.', true],
  ];
  const applies = ([status, , isUsual]: (typeof refusals)[number]) =>
    isUsual || otherErrors.some((other) => other === status);
  return refusals.filter(applies).map(([status, description]) => [status, description]);
}

function parametersOf(schema: z.ZodObject | undefined, location: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

/**
 * Adds what Zod leaves out: defaults as they are after parsing, and that answers may get new fields, so that a client generated
 * from this document accepts later answers. Lists that are only read here are not read-only for clients.
 */
const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema.default ??= def.defaultValue as never;
  if (jsonSchema.type === 'integer') setIntegerFormat(jsonSchema);
  if (def.type === 'readonly') delete jsonSchema.readOnly;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
};

/** Generated clients assume that an integer has 32 bits, which is too few for ids and instants. */
function setIntegerFormat(schema: z.core.JSONSchema.BaseSchema): void {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (maximum > 2 ** 31 - 1) schema.format = 'int64';
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Named schemas are referenced, so that the document contains each one once. */
function schemaOf(schema: z.ZodType, side: 'input' | 'output'): Json {
  const name = schema.meta()?.id;
  if (name) return { $ref: `#/components/schemas/${name}` };
  const { $defs: _, ...json } = jsonSchemaOf(schema, side);
  return withComponentRefs(json) as Json;
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json & { $defs?: Record<string, Json> } {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override }) as Json;
  return json;
}

function components(routes: readonly Route[]): Json {
  const named = new Map<string, Json>();
  for (const schema of [ErrorAnswer, ...routes.map((route) => route.endpoint.answer)]) {
    if (!schema) continue;
    const { $defs = {}, ...json } = jsonSchemaOf(schema, 'output');
    const name = schema.meta()?.id;
    const found = name ? { [name]: json, ...$defs } : $defs;
    for (const [key, { id: _, ...definition }] of Object.entries(found))
      named.set(key, withComponentRefs(definition) as Json);
  }
  return Object.fromEntries([...named].sort(([one], [other]) => one.localeCompare(other)));
}

function withComponentRefs(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withComponentRefs);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace('#/$defs/', '#/components/schemas/')
        : withComponentRefs(value),
    ]),
  );
}
