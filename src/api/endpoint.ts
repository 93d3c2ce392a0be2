import type { z } from 'zod';
import { readingFor, termsOf } from '../manage/reading.ts';
import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { authorize, type CallerResolver, type Credential, type Rule } from './authorize.ts';
import type { ApiContext } from './context.ts';
import { answerOnce, idempotentCall, serialisedAnswer } from './idempotency.ts';
import type { Json } from './json.ts';
import { readBody } from './read-body.ts';
import { answerOnlyFields, readInput } from './read-input.ts';
import { readQuery } from './read-query.ts';
import type { TextChunks } from './text-stream.ts';

/** What an endpoint can do with its connection. */
export interface Connection {
  /** The client's network, by which limits distinguish clients. */
  readonly network: () => string;
  /** Whether the call comes from this machine itself, not through a proxy and not from a web page. */
  readonly isLocal: () => boolean;
  /** Allows this response to pause for this many seconds; without `seconds`, for any time. */
  readonly keepOpen: (seconds?: number) => void;
}

interface Call<Params, Query, Body, From, Answered> {
  readonly caller: From;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
  readonly connection: Connection;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The value of the session cookie, if no key or token was sent. */
  readonly session: string | null;
  /** Checks the credential again: a long response must end with it. */
  readonly reauthorize: () => Promise<unknown>;
  /**
   * Makes the call's only change, whose result determines the answer. With an Idempotency-Key the answer is stored in the same
   * transaction, so that a crash right after it loses neither.
   */
  readonly answerWith: <Result>(
    answerOf: (result: Result) => Answered | Promise<Answered>,
    change: () => Promise<Result>,
  ) => Promise<Answered>;
}

interface ReplyParts<Body> {
  /** By default the first of the endpoint's statuses. */
  readonly status?: number;
  readonly body?: Body | Json<Body>;
  /** Each is sent as a `Set-Cookie` of its own, instead of the one that renews the session. */
  readonly cookies?: readonly string[];
  /** A streamed response of the type that the endpoint `streams`, instead of JSON. */
  readonly stream?: { readonly headers: Record<string, string>; readonly chunks: TextChunks };
}

/** A response with more than a body. */
export class Reply<Body> {
  readonly parts: ReplyParts<Body>;

  constructor(parts: ReplyParts<Body>) {
    this.parts = parts;
  }
}

type CallerFor<C extends Credential> = C extends 'required'
  ? Caller
  : C extends 'optional'
    ? Caller | null
    : null;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type Answer<A> = A extends z.ZodType ? z.input<A> : unknown;

/** What routing and the OpenAPI document need from an endpoint, besides its schemas. */
interface Outline extends Omit<Rule, 'credential'> {
  readonly summary: string;
  readonly description?: string;
  /** The body may be omitted, which selects a different operation. */
  readonly bodyIsOptional?: boolean;
  /** Accepts a previous response as the body; response-only fields are ignored. */
  readonly takesAnswerBack?: boolean;
  /** For endpoints whose body may be larger than usual. */
  readonly maxBodyBytes?: number;
  /** A GET that changes something: HEAD, which must not, is refused. */
  readonly getChanges?: boolean;
  /** A potentially expensive read: an organization may run a few at a time. */
  readonly heavy?: boolean;
  /** A call that changes or reads much, or first queries other servers or hashes a password: the database may take longer for it. */
  readonly long?: boolean;
  /** Success statuses with their meanings; the usual one first. */
  readonly statuses: Readonly<Record<number, string>>;
  /** Errors that calls of its kind usually don't get. */
  readonly otherErrors?: readonly ('403' | '404' | '429')[];
  /** The media type of a streamed response. */
  readonly streams?: string;
  /** Takes an Idempotency-Key: repeated calls with the same one are carried out once. */
  readonly isIdempotentByKey?: boolean;
  /** Takes an If-Match with the `updated_at` of the link that it changes. */
  readonly takesIfMatch?: boolean;
}

type Answers<A> = Answer<A> | Json<Answer<A>> | Reply<Answer<A>>;

interface Definition<C extends Credential, P, Q, B, A, Optional> extends Outline {
  /** `required` by default. */
  readonly credential?: C;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly bodyIsOptional?: Optional & boolean;
  readonly answer?: A;
  readonly handle: (
    call: Call<
      Parsed<P>,
      Parsed<Q>,
      Parsed<B> | (Optional extends true ? undefined : never),
      CallerFor<C>,
      Answers<A>
    >,
    context: ApiContext,
  ) => Promise<Answers<A>>;
}

interface Handled extends ReplyParts<unknown> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An endpoint with its types erased. */
export interface Endpoint extends Outline {
  readonly credential: Credential;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer?: z.ZodType | undefined;
  /** Fields of answers that its body may have, and that are ignored. */
  readonly ignoredFields: readonly string[];
  run(
    request: Request,
    params: Readonly<Record<string, string>>,
    connection: Connection,
    resolver: CallerResolver,
    context: ApiContext,
  ): Promise<Handled>;
}

/** Seconds of silence until a connection counts as dead: while a call is handled, and otherwise. */
const maxSilence = 120;
const usualSilence = 10;

/** Authenticates, parses, calls and responds, for every endpoint. */
export function endpoint<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  A extends z.ZodType | undefined = undefined,
  C extends Credential = 'required',
  Optional extends boolean = false,
>(definition: Definition<C, P, Q, B, A, Optional>): Endpoint {
  const { body: schema, answer: answerSchema, takesAnswerBack } = definition;
  const credential: Credential = definition.credential ?? 'required';
  const ignoredFields = takesAnswerBack ? answerOnlyFields(answerSchema, schema) : [];
  const bodyRules = schema && { ...definition, body: schema, ignoredFields };
  const rule = { ...definition, credential };
  const isLong = definition.long === true || definition.heavy === true;
  const usualStatus = Number(Object.keys(definition.statuses)[0]);
  return {
    ...rule,
    ignoredFields,
    async run(request, rawParams, connection, resolver, context) {
      const begunAt = performance.now();
      const { cookie, ...authorized } = await authorize(rule, request, resolver, context.site);
      const { caller } = authorized;
      const params = definition.params ? parsePath(definition.params, rawParams) : undefined;
      const query = readQuery(request.url, definition.query, schema);
      const { headers, signal } = request;
      const organizationId = caller?.organizationId ?? 0;
      const lease = context.bodies.lease(organizationId);
      const kind = definition.streams ? 'stream' : isSafe(request) ? 'read' : 'change';
      try {
        const { sent, body } = await readBody(bodyRules, request, lease, caller);
        // The request is complete: however long it takes, the client gets the response.
        connection.keepOpen(maxSilence);
        const terms = termsOf({ organizationId, signal, kind, begunAt, isLong });
        const callContext = readingFor(context, terms);
        const keyedCall =
          definition.isIdempotentByKey && caller ? idempotentCall(callContext, caller, request, sent) : null;
        const partsOf = (answer: unknown): Handled => ({
          status: usualStatus,
          ...(answer instanceof Reply ? answer.parts : { body: answerSchema && answer }),
        });
        const answerWith = async (answerOf: (result: never) => unknown, change: () => Promise<never>) => {
          keyedCall?.answerWith(async (result) => serialisedAnswer(partsOf(await answerOf(result as never))));
          return answerOf(await change());
        };
        const call = { ...authorized, params, query, body, headers, connection, signal, answerWith };
        const handle = async (handlerContext: ApiContext) =>
          partsOf(await definition.handle(call as never, handlerContext));
        const runHandler = (): Promise<Handled> =>
          keyedCall ? answerOnce(keyedCall, callContext, handle) : handle(callContext);
        const parts = await (definition.heavy ? context.heavyReads.run(terms, runHandler) : runHandler());
        if (!parts.stream) connection.keepOpen(usualSilence);
        const { cookies = [] } = parts;
        return { ...parts, cookies: cookies.length === 0 && cookie !== null ? [cookie] : cookies };
      } finally {
        lease.release();
      }
    },
  };
}

const isSafe = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** A malformed id is answered with 404, like one that doesn't exist. */
function parsePath(schema: z.ZodObject, raw: Readonly<Record<string, string>>): unknown {
  const read = readInput(schema, raw);
  if (read instanceof Refusal) throw new Refusal('NOT_FOUND', read.sentence);
  return read;
}
