import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, object>> }>>>
  >;
}

const document = openApiDocument(routes, 'http://localhost') as unknown as Document;
/** Paths without parameters first: `{id}` also matches the names of other paths. */
const patterns = Object.keys(document.paths)
  .sort((one, other) => one.split('{').length - other.split('{').length)
  .map(
    (path) => [path, new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)] as const,
  );

/** Of any call: the method isn't the path's, or a fault of the program. */
const ofAnyCall: ReadonlySet<number> = new Set([405, 500]);

/** Throws if the published interface doesn't say that this call may be answered with this status. */
export function requireDocumentedStatus(method: string, path: string, status: number): void {
  const [plainPath = ''] = path.split('?', 1);
  const [route] = patterns.find(([, pattern]) => pattern.test(plainPath)) ?? [];
  const operation = document.paths[route ?? '']?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (operation === undefined || ofAnyCall.has(status) || String(status) in operation.responses) return;
  throw new Error(`${method} ${route} was answered with ${status}, which the published interface lacks`);
}
