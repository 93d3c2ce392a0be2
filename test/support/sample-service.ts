import { type BothPaths, openBothPaths } from './both-paths.ts';

const moved = 'https://destination.example/';
const large = 'x'.repeat(7_000_000);

/** The responses of the app server, and of a plain Bun server to compare with. */
export function respond(request: Request): Response | Promise<Response> {
  const path = pathOf(request);
  if (path.startsWith('/known')) return new Response(null, { status: 302, headers: { location: moved } });
  if (path === '/read') return request.text().then((text) => new Response(`read ${text}\n`));
  if (path === '/none') return new Response(null, { status: 204 });
  if (path === '/same') return new Response(null, { status: 304 });
  if (path === '/large') return new Response(large);
  if (path === '/late') return Bun.sleep(20).then(() => new Response('late\n'));
  return new Response(`${request.method} ${path}\n`);
}

const pathOf = ({ url }: Request): string => url.slice(url.indexOf('/', 8));

export const hostLine = 'Host: a\r\n';
export const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${hostLine}${more}\r\n`;
export const post = (path: string, more: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\n${hostLine}${more}\r\n${body}`;
export const ofLength = (text: string): string => `Content-Length: ${text.length}\r\n`;
/** Answered on the fast path. */
export const fastRequest = get('/known');
/** Answered by the app server. */
export const forwardedRequest = get('/other');

export interface SampleService {
  readonly paths: BothPaths;
  readonly faults: unknown[];
  /** The requests that reached the app server. */
  readonly appServerRequests: string[];
}

/** A listener that answers /known… on its fast path, with an app server for everything else. */
export function openSampleService(): SampleService {
  const faults: unknown[] = [];
  const asked: string[] = [];
  const paths = openBothPaths(
    (cause) => faults.push(cause),
    (request, { address }) => {
      const path = pathOf(request);
      asked.push(`${request.method} ${path}`);
      return path === '/who' ? new Response(`${address}\n`) : respond(request);
    },
    ({ path }, peer) => {
      if (path === '/known/who')
        return { head: `HTTP/1.1 200 OK\r\nContent-Length: ${peer.length}\r\n`, body: peer, waits: false };
      if (!path.startsWith('/known')) return null;
      const head = `HTTP/1.1 302 Found\r\nLocation: ${moved}\r\nContent-Length: 0\r\n`;
      return { head, body: '', waits: false };
    },
  );
  return { paths, faults, appServerRequests: asked };
}
