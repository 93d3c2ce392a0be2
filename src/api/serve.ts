import { Hono } from 'hono';
import { Refusal } from '../rules/errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { ApiContext } from './context.ts';
import type { Connection } from './endpoint.ts';
import { errorBody, errorHeaders, refusalOf, statusOf } from './errors.ts';
import { Json } from './json.ts';
import type { Doorman } from './let-in.ts';
import type { Route } from './routes.ts';
import { textStream } from './text-stream.ts';

type Bindings = { Bindings: { connection: Connection } };

/** No other site's page can read or embed an answer: a cookie makes answers private, and there is no CORS here. */
const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** As `Response.json` says it. */
const jsonType = 'application/json;charset=utf-8';

/** The API as a function from request to answer: JSON, save where an endpoint streams, and whatever goes wrong. */
export function serveApi(routes: readonly Route[], context: ApiContext, doorman: Doorman, log: Log) {
  const app = new Hono<Bindings>();
  const methods = Map.groupBy(routes, (route) => route.path);

  for (const { method, path, endpoint } of routes) {
    app.on(method, honoPath(path), async ({ req, env }) => {
      const reply = await endpoint.run(req.raw, req.param(), env.connection, doorman, context);
      const { status, body, stream } = reply;
      const headers = reply.headers ? { ...always, ...reply.headers } : always;
      if (stream) {
        const pieces = textStream(stream.pieces, (cause) => refusalOf(cause, log));
        return new Response(pieces, { status, headers: { ...headers, ...stream.headers } });
      }
      if (body === undefined) return new Response(null, { status, headers });
      return body instanceof Json
        ? new Response(body.text, { status, headers: { ...headers, 'content-type': jsonType } })
        : Response.json(body, { status, headers });
    });
  }
  for (const [path, known] of methods) {
    const allowed = known.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    app.all(honoPath(path), ({ req }) => {
      const refusal = new Refusal(
        'METHOD_NOT_ALLOWED',
        `${req.method} does not work here. This path takes ${allowed.join(', ')}.`,
      );
      return errorAnswer(refusal, { allow: allowed.join(', ') });
    });
  }
  app.notFound(() =>
    errorAnswer(
      new Refusal('ROUTE_NOT_FOUND', 'There is no such path in the API. GET /openapi.json lists them all.'),
    ),
  );
  app.onError((cause) => errorAnswer(refusalOf(cause, log)));

  return (request: Request, connection: Connection): Response | Promise<Response> =>
    app.fetch(request, { connection });
}

export function errorAnswer(refusal: Refusal, headers: Record<string, string> = {}): Response {
  return Response.json(errorBody(refusal), {
    status: statusOf[refusal.code],
    headers: { ...always, ...errorHeaders(refusal), ...headers },
  });
}

const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
