import { Hono } from 'hono';
import { statusOf } from '../rules/error-codes.ts';
import { Refusal } from '../rules/errors.ts';
import { percentDecoded } from '../rules/text.ts';
import type { Log } from '../telemetry/log.ts';
import type { CallerResolver } from './authorize.ts';
import type { ApiContext } from './context.ts';
import type { Connection } from './endpoint.ts';
import { errorBody, errorHeaders, refusalOf } from './errors.ts';
import { Json } from './json.ts';
import { bodyOf } from './large-body.ts';
import type { Route } from './routes.ts';
import { suggestedPath } from './suggested-path.ts';
import { textStream } from './text-stream.ts';

type Bindings = { Bindings: { connection: Connection; isHead: boolean } };

/** No other site's page can read or embed an answer: a cookie makes answers private, and there is no CORS here. */
const commonHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** As `Response.json` writes it. */
const jsonType = 'application/json;charset=utf-8';

/** The API as a function from request to answer: always JSON, even for failures, unless an endpoint streams. */
export function serveApi(routes: readonly Route[], context: ApiContext, resolver: CallerResolver, log: Log) {
  const app = new Hono<Bindings>();
  const routesByPath = Map.groupBy(routes, (route) => route.path);

  for (const { method, path, endpoint } of routes) {
    app.on(method, honoPath(path), async ({ req, env }) => {
      if (env.isHead && endpoint.getChanges) return wrongMethod('HEAD', [method]);
      const reply = await endpoint.run(req.raw, req.param(), env.connection, resolver, context);
      const { status, body, stream, cookies = [] } = reply;
      const headers = new Headers({ ...commonHeaders, ...reply.headers, ...stream?.headers });
      for (const cookie of cookies) headers.append('set-cookie', cookie);
      if (stream) {
        const chunks = textStream(stream.chunks, (cause) => refusalOf(cause, log));
        return new Response(chunks, { status, headers });
      }
      if (body === undefined) return new Response(null, { status, headers });
      headers.set('content-type', jsonType);
      const text = body instanceof Json ? body.text : JSON.stringify(body);
      return new Response(bodyOf(text, req.header('connection') === 'close'), { status, headers });
    });
  }
  for (const [path, routesOfPath] of routesByPath) {
    const allowed = routesOfPath.flatMap(({ method, endpoint }) =>
      method === 'GET' && !endpoint.getChanges ? ['GET', 'HEAD'] : [method],
    );
    const methodsWithId = (routesByPath.get(`${path}/{id}`) ?? []).map(({ method }) => method);
    app.all(honoPath(path), ({ req }) => wrongMethod(req.method, allowed, methodsWithId));
  }
  app.notFound(({ req }) => {
    const meant = suggestedPath(req.path);
    const more = meant === null ? 'GET /openapi.json lists them all.' : `Did you mean ${meant}?`;
    return errorAnswer(new Refusal('ROUTE_NOT_FOUND', `There is no such path in the API. ${more}`));
  });
  app.onError((cause) => errorAnswer(refusalOf(cause, log)));

  return (request: Request, connection: Connection): Response | Promise<Response> => {
    const isHead = request.method === 'HEAD';
    // The router would take a path that can't be decoded literally, so that one name would have two addresses.
    const path = request.url.slice(0, request.url.search(/[?#]|$/));
    if (path.includes('%') && percentDecoded(path) === null) {
      const response = errorAnswer(undecodable());
      return isHead ? withoutBody(response) : response;
    }
    if (!isHead) return app.fetch(request, { connection, isHead });
    const asGet = new Request(request, { method: 'GET' });
    return withoutBody(app.fetch(asGet, { connection, isHead }));
  };
}

const undecodable = (): Refusal =>
  new Refusal(
    'REQUEST_MALFORMED',
    'The path has a % that is not followed by the hex digits of UTF-8. Percent-encode it, such as é as %C3%A9 and % as %25.',
  );

/** The response to HEAD: the headers of GET, with the length if it is known in advance. */
async function withoutBody(response: Response | Promise<Response>): Promise<Response> {
  const { status, headers, body } = await response;
  if (body === null) return new Response(null, { status, headers });
  if (headers.get('content-type') !== jsonType) {
    await body.cancel();
    return new Response(emptyStream(), { status, headers });
  }
  const length = (await new Response(body).arrayBuffer()).byteLength;
  return new Response(null, {
    status,
    headers: { ...Object.fromEntries(headers), 'content-length': `${length}` },
  });
}

/** A body that has already ended would give the response a length of 0. */
const emptyStream = () =>
  new ReadableStream({
    async pull(controller) {
      await Bun.sleep(0);
      controller.close();
    },
  });

/** `methodsWithId`: the methods that the path takes when followed by an id. */
function wrongMethod(
  method: string,
  allowed: readonly string[],
  methodsWithId: readonly string[] = [],
): Response {
  const more =
    method === 'PUT' && allowed.includes('PATCH')
      ? ' PATCH changes the fields that are sent.'
      : methodsWithId.includes(method)
        ? ` ${method} takes the id in the path, behind a slash.`
        : '';
  const refusal = new Refusal(
    'METHOD_NOT_ALLOWED',
    `${method} does not work here. This path takes ${allowed.join(', ')}.${more}`,
  );
  return errorAnswer(refusal, { allow: allowed.join(', ') });
}

export function errorAnswer(refusal: Refusal, headers: Record<string, string> = {}): Response {
  return Response.json(errorBody(refusal), {
    status: statusOf[refusal.code],
    headers: { ...commonHeaders, ...errorHeaders(refusal), ...headers },
  });
}

const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
