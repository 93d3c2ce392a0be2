import type { z } from 'zod';
import { readingFor, termsOf } from '../manage/reading.ts';
import type { Caller, Permission } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { authorize, type CallerResolver, type Credential } from './authorize.ts';
import { readJson } from './body.ts';
import { type BodyLease, smallBodyBytes } from './body-memory.ts';
import type { ApiContext } from './context.ts';
import type { Json } from './json.ts';
import { readInput, requireInput } from './read-input.ts';
import { readQuery } from './read-query.ts';
import type { TextChunks } from './text-stream.ts';

/** What an endpoint can ask of its connection. */
export interface Connection {
  /** The client's network, as far as limits tell clients apart. */
  readonly network: () => string;
  /** A call from this very machine that came through no proxy and from no web page. */
  readonly isLocal: () => boolean;
  /** Allows this response to pause for so many seconds; without a limit when none are given. */
  readonly keepOpen: (seconds?: number) => void;
}

export interface Call<Params, Query, Body, Who> {
  readonly caller: Who;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
  readonly connection: Connection;
  /** Ends when the client goes away. */
  readonly signal: AbortSignal;
  /** The content of the session cookie, where no key or token was sent. */
  readonly session: string | null;
  /** Checks the credential again: a long response must end when it does. */
  readonly reauthorize: () => Promise<unknown>;
}

export interface Reply<Body> {
  readonly status: number;
  readonly body: Body | Json<Body>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each a `Set-Cookie` of its own, beside one among the headers. */
  readonly cookies?: readonly string[];
  /** A streamed response of the type that the endpoint `streams`, instead of JSON. */
  readonly stream?: { readonly headers: Record<string, string>; readonly chunks: TextChunks };
}

type CallerFor<C extends Credential> = C extends 'required'
  ? Caller
  : C extends 'optional'
    ? Caller | null
    : null;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

interface Definition<C extends Credential, P, Q, B, A, Optional> {
  readonly summary: string;
  readonly description?: string;
  readonly credential: C;
  /** What the caller's role must allow. */
  readonly permission?: Permission;
  /** Refuses calls of other sites' pages also where no cookie comes along: for what would sign a visitor in. */
  readonly ownPagesOnly?: boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Without a body the call means something else. */
  readonly bodyIsOptional?: Optional;
  /** Fields of responses that may be sent back, and are ignored. */
  readonly ignoredFields?: readonly string[];
  /** Where a body may be larger than usual. */
  readonly maxBodyBytes?: number;
  /** A GET that changes something: HEAD, which must not, is refused. */
  readonly getChanges?: boolean;
  /** A read that may be expensive: an organization may run a few at a time. */
  readonly heavy?: boolean;
  /** Statuses of success, each with what it means. */
  readonly statuses: Readonly<Record<number, string>>;
  readonly answer?: A;
  /** The media type of a streamed response. */
  readonly streams?: string;
  readonly handle: (
    call: Call<Parsed<P>, Parsed<Q>, Parsed<B> | (Optional extends true ? undefined : never), CallerFor<C>>,
    context: ApiContext,
  ) => Promise<Reply<A extends z.ZodType ? z.input<A> : undefined>>;
}

/** An endpoint with its types erased, for routing and the OpenAPI document. */
export interface Endpoint {
  readonly summary: string;
  readonly description: string | undefined;
  readonly credential: Credential;
  readonly permission: Permission | undefined;
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly bodyIsOptional: boolean;
  readonly getChanges: boolean;
  readonly statuses: Readonly<Record<number, string>>;
  readonly answer: z.ZodType | undefined;
  readonly streams: string | undefined;
  readonly heavy: boolean;
  run(
    request: Request,
    params: Readonly<Record<string, string>>,
    connection: Connection,
    resolver: CallerResolver,
    context: ApiContext,
  ): Promise<Reply<unknown>>;
}

/** Seconds of silence until a connection counts as dead: while a call is handled, and otherwise. */
const maxSilence = 120;
const usualSilence = 10;

/** Authenticates, parses, calls and responds, for every endpoint. */
export function endpoint<
  C extends Credential,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  A extends z.ZodType | undefined = undefined,
  Optional extends boolean = false,
>(definition: Definition<C, P, Q, B, A, Optional>): Endpoint {
  return {
    summary: definition.summary,
    description: definition.description,
    credential: definition.credential,
    permission: definition.permission,
    params: definition.params,
    query: definition.query,
    body: definition.body,
    bodyIsOptional: definition.bodyIsOptional ?? false,
    getChanges: definition.getChanges ?? false,
    statuses: definition.statuses,
    answer: definition.answer,
    streams: definition.streams,
    heavy: definition.heavy ?? false,
    async run(request, rawParams, connection, resolver, context) {
      const begunAt = performance.now();
      const authorization = await authorize(definition, request, resolver, context.site);
      const params = definition.params ? parsePath(definition.params, rawParams) : undefined;
      const query = readQuery(request.url, definition.query, definition.body);
      const { headers, signal } = request;
      const { caller, session, reauthorize } = authorization;
      const organizationId = caller?.organizationId ?? 0;
      const lease = context.bodies.lease(organizationId);
      const kind = definition.streams ? 'stream' : isSafe(request) ? 'read' : 'change';
      try {
        const body = definition.body
          ? await bodyOf(definition.body, definition, request, lease, caller)
          : undefined;
        const call = { caller, params, query, body, headers, connection, signal, session, reauthorize };
        // The request is complete from here on: however long it takes, the client gets the response.
        connection.keepOpen(maxSilence);
        const terms = termsOf({ organizationId, signal, kind, begunAt });
        const handle = () => definition.handle(call as never, readingFor(context, terms));
        const reply = await (definition.heavy ? context.heavyReads.run(terms, handle) : handle());
        if (!reply.stream) connection.keepOpen(usualSilence);
        return authorization.cookie === null
          ? reply
          : { ...reply, headers: { 'set-cookie': authorization.cookie, ...reply.headers } };
      } finally {
        lease.release();
      }
    },
  };
}

const isSafe = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** An id that can't be one names nothing: 404, like one that isn't there. */
function parsePath(schema: z.ZodObject, raw: Readonly<Record<string, string>>): unknown {
  const read = readInput(schema, raw);
  if (!read.ok) throw new Refusal('NOT_FOUND', read.refusal.sentence);
  return read.data;
}

async function bodyOf(
  schema: z.ZodType,
  definition: { bodyIsOptional?: boolean; ignoredFields?: readonly string[]; maxBodyBytes?: number },
  request: Request,
  lease: BodyLease,
  caller: Caller | null,
): Promise<unknown> {
  const value = await readJson(request, definition.maxBodyBytes ?? smallBodyBytes, lease);
  // Many clients can't send an empty body: with a credential an empty object counts as none.
  if (definition.bodyIsOptional && caller !== null && isEmpty(value)) return undefined;
  if (value === undefined) {
    if (definition.bodyIsOptional) return undefined;
    throw new Refusal('BODY_MISSING', 'This call needs a JSON object as its body.');
  }
  const { ignoredFields = [] } = definition;
  return requireInput(schema, without(value, ignoredFields), {
    ignored: ignoredFields.filter((name) => isIn(value, name)),
  });
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const isIn = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name);

export function without(value: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const keys = Object.keys(value);
  if (!keys.some((key) => fields.includes(key))) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
}
