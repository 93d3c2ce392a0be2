import type { Calls, ClickCorrection, ClickCorrectionList } from '../api-types.ts';
import { call } from '../client.ts';
import { refresh } from '../queries.ts';
import { instantsOf, instantsToErase, type Period } from '../stats/range.ts';
import { loadHits, type Scope } from '../stats/scope.ts';

/** Days in the visitor's time zone, the last one included; null: all. */
export type Days = Required<Period> | null;

const idOf = (scope: Scope): { readonly id: number } | null =>
  scope.kind === 'link' ? { id: scope.link.id } : null;

export function loadCorrections(scope: Scope, cursor: string | undefined): Promise<ClickCorrectionList> {
  const params = idOf(scope);
  const query = { limit: 10, cursor };
  return params
    ? call('GET /api/v1/link/{id}/clicks/corrections', { params, query })
    : call('GET /api/v1/clicks/corrections', { query });
}

export interface HitCount {
  readonly hits: number;
  readonly clicks: number;
  /** Where they were counted; empty: everywhere. */
  readonly span: Partial<Period>;
}

/** How many hits are in these days. */
export async function countHits(scope: Scope, days: Days): Promise<HitCount> {
  const span = days ? instantsToErase(days, (await loadHits(scope, { limit: 1 })).raw_since) : {};
  const total = async (ofClass: 'all' | 'click') =>
    (await loadHits(scope, { ...span, class: ofClass, limit: 1 })).total_clicks;
  const [hits, clicks] = await Promise.all([total('all'), total('click')]);
  return { hits, clicks, span };
}

export async function erase(scope: Scope, { span: query }: HitCount): Promise<ClickCorrection> {
  const params = idOf(scope);
  const correction = params
    ? await call('DELETE /api/v1/link/{id}/clicks', { params, query })
    : await call('DELETE /api/v1/clicks', { query: { ...query, confirm: true } });
  refreshNumbers();
  return correction;
}

type Reclassification = Calls['PATCH /api/v1/link/{id}/clicks/reclassify']['body'];

async function reclassify(linkId: number, body: Reclassification): Promise<ClickCorrection> {
  const correction = await call('PATCH /api/v1/link/{id}/clicks/reclassify', {
    params: { id: linkId },
    body,
  });
  refreshNumbers();
  return correction;
}

export const revertReclassification = (linkId: number, id: number): Promise<ClickCorrection> =>
  reclassify(linkId, { take_back: id });

/** Turns the floods of a time range into clicks. */
export const countFloods = (linkId: number, span: Period): Promise<ClickCorrection> =>
  reclassify(linkId, { ...instantsOf(span), class: 'flood', to_class: 'human' });

/** Reloads everything that is counted from clicks. */
export const refreshNumbers = (): void => void refresh('stats', 'corrections', 'link', 'hits');
