import type { Calls, ClickList, Link, Stats } from '../api-types.ts';
import { call } from '../client.ts';
import { type Chosen, hasSelection } from './chosen.ts';

/** The links whose statistics a board shows. */
export type Scope =
  | { readonly kind: 'all'; readonly chosen?: Chosen }
  | { readonly kind: 'link'; readonly link: Link };

export type StatsQuery = Calls['GET /api/v1/stats']['query'];

/** The filter by links, for a call without a link in its path. */
export const choiceOf = (scope: Scope): Chosen =>
  scope.kind === 'link' ? { ids: String(scope.link.id) } : (scope.chosen ?? {});

export function keyOf(scope: Scope): string {
  if (scope.kind === 'link') return `link ${scope.link.id}`;
  return hasSelection(scope.chosen ?? {}) ? 'some' : 'all';
}

export function loadStats(scope: Scope, query: StatsQuery): Promise<Stats> {
  return scope.kind === 'link'
    ? call('GET /api/v1/link/{id}/stats', { params: { id: scope.link.id }, query })
    : call('GET /api/v1/stats', { query: { ...query, ...scope.chosen } });
}

type HitsQuery = Calls['GET /api/v1/clicks']['query'];

export function loadHits(scope: Scope, query: HitsQuery): Promise<ClickList> {
  return scope.kind === 'link'
    ? call('GET /api/v1/link/{id}/clicks', { params: { id: scope.link.id }, query })
    : call('GET /api/v1/clicks', { query: { ...query, ...scope.chosen } });
}
