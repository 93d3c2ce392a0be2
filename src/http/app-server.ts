import type { Server } from 'bun';
import { waitAtMost } from '../structures/with-timeout.ts';
import type { NoteAnswer } from './access-log.ts';
import type { ClientByPort } from './client-by-port.ts';
import { RequestIds } from './request-ids.ts';
import type { Caller } from './router.ts';
import { startingAnswer } from './starting.ts';

type Answer = Response | Promise<Response>;
export type RequestHandler = (request: Request, caller: Caller) => Answer;

interface AppServerOptions {
  /** Runs a handler so that its log lines include the id of the request. */
  readonly during?: <T>(id: string, run: () => T) => T;
  readonly note?: NoteAnswer | null;
}

/** The runtime's maximum: the listener ends idle connections, and a slow handler can still answer. */
const idleSeconds = 255;
/** A body of this size has arrived with the head, or right after it. */
const smallBody = 8 * 1024;

/**
 * Bun's own server, for everything that the fast path doesn't answer. Only the listener may connect to it, and it answers 503
 * until it is opened.
 */
export class AppServer {
  readonly #server: Server<undefined>;
  #handler: RequestHandler = startingAnswer;
  #isDraining = false;

  constructor(
    clientByPort: Pick<ClientByPort, 'get'>,
    onFault: (cause: unknown) => void,
    { during = (_, run) => run(), note = null }: AppServerOptions = {},
  ) {
    const ids = new RequestIds();
    const fail = (cause: unknown) => {
      onFault(cause);
      return internalError();
    };
    const clientOf = (request: Request, server: Server<undefined>) => {
      const { address, port } = server.requestIP(request) ?? { address: '', port: 0 };
      return address === '127.0.0.1' ? clientByPort.get(port) : undefined;
    };
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: idleSeconds,
      // Each endpoint checks its own limit before a byte is read, with an error that explains it.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => {
        const client = clientOf(request, server);
        if (client === undefined) return new Response(null, { status: 403 });
        const id = ids.next();
        const keepOpen = (seconds = 0) => void server.timeout(request, seconds);
        const receivedAt = performance.now();
        const withRequestId = (response: Response): Response => {
          response.headers.set('x-request-id', id);
          // The runtime adds this header to responses to other methods.
          if (request.method === 'HEAD') response.headers.set('date', new Date().toUTCString());
          // The runtime then closes the connection, but sends no header that announces it.
          if (request.headers.get('connection') === 'close') response.headers.set('connection', 'close');
          note?.(answeredOf(id, request, response.status, performance.now() - receivedAt));
          return response;
        };
        return during(id, () => {
          const answer = this.#answer(request, { address: client, keepOpen }, fail);
          return answer instanceof Promise ? answer.then(withRequestId) : withRequestId(answer);
        });
      },
      error: fail,
    });
  }

  /** Catches the handler's exceptions here, where their request is known. */
  #answer(request: Request, caller: Caller, fail: (cause: unknown) => Response): Answer {
    let answer: Answer;
    try {
      answer = this.#handler(request, caller);
    } catch (cause) {
      return fail(cause);
    }
    if (answer instanceof Promise) answer = answer.catch(fail);
    if (this.#isDraining) return closing(answer);
    return mayHaveUnreadBody(request) ? closingUnlessRead(request, answer) : answer;
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  /** From now on this handler answers requests. */
  open(handler: RequestHandler): void {
    this.#handler = handler;
  }

  /** From now on each answer closes its connection. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Lets requests that are under way finish, for at most `milliseconds`. */
  async stop(timeout: number): Promise<void> {
    await waitAtMost(timeout, this.#server.stop());
    await this.#server.stop(true);
  }
}

const internalError = (): Response =>
  Response.json(
    {
      status_code: 500,
      error_code: 'INTERNAL',
      error_string: 'Something failed on our side. It was logged.',
    },
    { status: 500 },
  );

function answeredOf(id: string, { method, headers, url }: Request, status: number, milliseconds: number) {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  const path = url.slice(start).replace(/\?.*$/s, '');
  return { request: id, method, host: headers.get('host') ?? '', path, status, milliseconds };
}

async function closing(answer: Answer): Promise<Response> {
  const response = await answer;
  response.headers.set('connection', 'close');
  return response;
}

/** Whether a part of the request's body may still arrive after the answer. */
function mayHaveUnreadBody({ headers }: Request): boolean {
  const length = headers.get('content-length');
  return length === null ? headers.has('transfer-encoding') : Number(length) > smallBody;
}

/**
 * An answer given before the body was read closes the connection: Bun reads no more of the body, and would count it as a request
 * under way, which `stop` would wait for in vain. A chunked body may also be short and complete: then only a refusal closes the
 * connection.
 */
async function closingUnlessRead(request: Request, answer: Answer): Promise<Response> {
  const response = await answer;
  const isSized = request.headers.has('content-length');
  if (!request.bodyUsed && (isSized || response.status >= 400)) response.headers.set('connection', 'close');
  return response;
}
