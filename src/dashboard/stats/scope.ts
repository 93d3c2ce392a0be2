import type { Calls, Link, Stats } from '../api-types.ts';
import { call } from '../client.ts';

/** The links whose statistics a board shows. */
export type Scope = { readonly kind: 'all' } | { readonly kind: 'link'; readonly link: Link };

export type Question = Calls['GET /api/v1/stats']['query'];

export const keyOf = (scope: Scope): string => (scope.kind === 'link' ? `link ${scope.link.id}` : 'all');

export function loadStats(scope: Scope, query: Question): Promise<Stats> {
  return scope.kind === 'link'
    ? call('GET /api/v1/link/{id}/stats', { params: { id: scope.link.id }, query })
    : call('GET /api/v1/stats', { query });
}
