import type { z } from 'zod';
import { credentialOf } from '../auth/authenticate.ts';
import { type Caller, type Deed, may } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { readJson } from './body.ts';
import type { ApiContext } from './context.ts';
import { refusalOfIssues } from './errors.ts';
import type { Pieces } from './text-stream.ts';

/** What an endpoint may know of the connection behind a call. */
export interface Connection {
  /** The client's network, as far as limits tell clients apart. */
  readonly network: () => string;
  /** A call from this very machine that came through no proxy and from no web page. */
  readonly isLocal: () => boolean;
  /** This answer may pause for longer than others may. */
  readonly keepOpen: () => void;
}

/** What runs an endpoint besides the context: who is asking. */
export interface Doorman {
  caller(credential: string | null): Promise<Caller>;
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
  /** Asks again whether the credential is good: an answer that lasts must end with it. */
  readonly stillWelcome: () => Promise<unknown>;
}

export interface Reply<Body> {
  readonly status: number;
  readonly body: Body;
  /** An answer that is no JSON and comes in pieces, of the type that the endpoint `streams`. */
  readonly stream?: { readonly headers: Record<string, string>; readonly pieces: Pieces };
}

/**
 * Whether a call needs a credential. `optional`: with one the caller is known, without one it is null. `own`: one that
 * stands for no caller, and that the endpoint checks by itself.
 */
export type Credential = 'required' | 'optional' | 'own' | 'none';
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
  readonly deed?: Deed;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Without a body the call means something else. */
  readonly bodyIsOptional?: Optional;
  /** Fields that answers carry: they may be sent back, and are passed over. */
  readonly passesOver?: readonly string[];
  /** Statuses of success, each with what it means. */
  readonly statuses: Readonly<Record<number, string>>;
  readonly answer?: A;
  /** The media type of an answer that comes in pieces. */
  readonly streams?: string;
  readonly handle: (
    call: Call<Parsed<P>, Parsed<Q>, Parsed<B> | (Optional extends true ? undefined : never), CallerFor<C>>,
    context: ApiContext,
  ) => Promise<Reply<A extends z.ZodType ? z.input<A> : undefined>>;
}

/** An endpoint with its types rubbed off: what routing and the OpenAPI document work with. */
export interface Endpoint {
  readonly summary: string;
  readonly description: string | undefined;
  readonly credential: Credential;
  readonly deed: Deed | undefined;
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly bodyIsOptional: boolean;
  readonly statuses: Readonly<Record<number, string>>;
  readonly answer: z.ZodType | undefined;
  readonly streams: string | undefined;
  run(
    request: Request,
    params: Readonly<Record<string, string>>,
    connection: Connection,
    doorman: Doorman,
    context: ApiContext,
  ): Promise<Reply<unknown>>;
}

const mostBodyBytes = 64 * 1024;

/** Authenticate, parse, call, answer: the way of every call, written once. */
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
    deed: definition.deed,
    params: definition.params,
    query: definition.query,
    body: definition.body,
    bodyIsOptional: definition.bodyIsOptional ?? false,
    statuses: definition.statuses,
    answer: definition.answer,
    streams: definition.streams,
    async run(request, rawParams, connection, doorman, context) {
      const caller = await callerOf(definition, request.headers, doorman);
      const params = definition.params ? parsePath(definition.params, rawParams) : undefined;
      const query = definition.query ? parse(definition.query, queryOf(request.url)) : undefined;
      const body = definition.body ? await bodyOf(definition.body, definition, request) : undefined;
      const { headers, signal } = request;
      const stillWelcome = () => doorman.caller(credentialOf(headers));
      const call = { caller, params, query, body, headers, connection, signal, stillWelcome };
      return definition.handle(call as never, context);
    },
  };
}

async function callerOf(
  { credential, deed }: { credential: Credential; deed?: Deed },
  headers: Headers,
  doorman: Doorman,
): Promise<Caller | null> {
  if (credential === 'none' || credential === 'own') return null;
  const sent = credentialOf(headers);
  if (credential === 'optional' && sent === null) return null;
  const caller = await doorman.caller(sent);
  if (deed && !may(caller.role, deed)) {
    throw new Refusal('FORBIDDEN', 'Only an administrator of your organization may do this.');
  }
  return caller;
}

const queryOf = (url: string): Record<string, string> => {
  const start = url.indexOf('?');
  return start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start + 1)));
};

function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (!result.success) throw refusalOfIssues(result.error.issues, value);
  return result.data;
}

/** An id that can't be one names nothing: 404, like one that isn't there. */
function parsePath(schema: z.ZodObject, raw: Readonly<Record<string, string>>): unknown {
  const result = schema.safeParse(raw);
  if (!result.success) throw new Refusal('NOT_FOUND', 'There is nothing with this id in your organization.');
  return result.data;
}

async function bodyOf(
  schema: z.ZodType,
  definition: { bodyIsOptional?: boolean; passesOver?: readonly string[] },
  request: Request,
): Promise<unknown> {
  const value = await readJson(request, mostBodyBytes);
  if (value === undefined) {
    if (definition.bodyIsOptional) return undefined;
    throw new Refusal('BODY_MISSING', 'This call needs a JSON object as its body.');
  }
  return parse(schema, without(value, definition.passesOver ?? []));
}

function without(value: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
}
