import { Refusal } from '../rules/errors.ts';
import type { Site } from '../rules/site.ts';
import { errorAnswer } from './serve.ts';
import { suggestedPath } from './suggested-path.ts';

/**
 * Answers, in the form of the API, a call of the API that was sent to the path of a short link, as happens if its base URL lacks
 * `/api`. Null for requests that may be a visitor's.
 */
export function misdirectedCall(request: Request, path: string, site: Site): Response | null {
  if (!isCall(request, path)) return null;
  const meant = suggestedPath(path);
  return notTheApi(
    meant === null
      ? `The API is at ${site.origin}/api/v1.`
      : `Did you mean ${request.method} ${site.origin}${meant}?`,
  );
}

/** On a custom domain, which has no relation to the address of this service. */
export function misdirectedOnDomain(request: Request, path: string): Response | null {
  const isUnderApi = path === '/api' || path.startsWith('/api/');
  return isUnderApi || isCall(request, path) ? notTheApi('It is not on this domain.') : null;
}

const notTheApi = (where: string): Response =>
  errorAnswer(new Refusal('ROUTE_NOT_FOUND', `This is no path of the API. ${where}`));

function isCall({ method, headers }: Request, path: string): boolean {
  if (headers.has('api-key') || /^bearer /i.test(headers.get('authorization') ?? '')) return true;
  const accepted = headers.get('accept') ?? '';
  // Browsers ask for HTML explicitly, and visitors' forms come from browsers.
  if (accepted.includes('text/html')) return false;
  if (accepted.includes('json') || (headers.get('content-type') ?? '').includes('json')) return true;
  const hasVersion = /^\/(?:api\/|rest\/)?v\d+\//i.test(path);
  return (hasVersion || (method !== 'GET' && method !== 'HEAD')) && suggestedPath(path) !== null;
}
