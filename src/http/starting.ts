import { policyFor } from './html.ts';

const style = 'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}';
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="2">
<title>Starting</title>
<style>${style}</style>
<h1>Starting</h1>
<p>This will be here in a few seconds.</p>
`;
const headers = { 'retry-after': '1', 'cache-control': 'no-store' };

/** The process is alive, whatever it is doing: a supervisor must not end it. */
export const liveAnswer = (): Response => Response.json({ status: 'live' });

/** The answer to every request until the service is ready: JSON for programs, a page for browsers. */
export function startingAnswer({ url }: Request): Response {
  const path = url.slice(Math.max(0, url.indexOf('/', url.indexOf('://') + 3)));
  if (/^\/livez(?:\?|$)/.test(path)) return liveAnswer();
  if (/^\/(?:api|healthz|readyz)(?:[/?]|$)/.test(path)) {
    const error = {
      status_code: 503,
      error_code: 'STARTING',
      error_string: 'The service is starting. Try again in a second.',
    };
    return Response.json(error, { status: 503, headers });
  }
  return new Response(page, {
    status: 503,
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyFor(style),
      'x-content-type-options': 'nosniff',
    },
  });
}
