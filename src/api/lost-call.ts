import { Refusal } from '../rules/errors.ts';
import type { Site } from '../rules/site.ts';
import { meantPath } from './meant-path.ts';
import { errorAnswer } from './serve.ts';

/**
 * A call that was meant for the API and came to where short links are, as it does when its base address lacks `/api`:
 * answered as the API answers. Null for what may as well be a visitor's.
 */
export function lostCall(request: Request, path: string, site: Site): Response | null {
  if (!isCall(request, path)) return null;
  const meant = meantPath(path);
  return notTheApi(
    meant === null
      ? `The API is at ${site.origin}/api/v1.`
      : `Did you mean ${request.method} ${site.origin}${meant}?`,
  );
}

/** On a custom domain, which nothing ties to the address of this service. */
export function lostOnDomain(request: Request, path: string): Response | null {
  const isUnderApi = path === '/api' || path.startsWith('/api/');
  return isUnderApi || isCall(request, path) ? notTheApi('It is not on this domain.') : null;
}

const notTheApi = (where: string): Response =>
  errorAnswer(new Refusal('ROUTE_NOT_FOUND', `This is no path of the API. ${where}`));

function isCall({ method, headers }: Request, path: string): boolean {
  if (headers.has('api-key') || /^bearer /i.test(headers.get('authorization') ?? '')) return true;
  const accepted = headers.get('accept') ?? '';
  // A browser says what it likes best; a form that is sent by a visitor comes from one.
  if (accepted.includes('text/html')) return false;
  if (accepted.includes('json') || (headers.get('content-type') ?? '').includes('json')) return true;
  const hasVersion = /^\/(?:api\/|rest\/)?v\d+\//i.test(path);
  return (hasVersion || (method !== 'GET' && method !== 'HEAD')) && meantPath(path) !== null;
}
