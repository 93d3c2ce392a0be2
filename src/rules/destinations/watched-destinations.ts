import { readRules } from '../link-rules/rule-fields.ts';
import { locationOf } from './destination-text.ts';

export const destinationProblems = ['broken', 'certificate', 'moved', 'parked'] as const;
export type ProblemKind = (typeof destinationProblems)[number];

/** A problem of one of a link's destinations that was found twice. */
export interface DestinationProblem {
  readonly url: string;
  readonly problem: ProblemKind;
  /** A sentence; for a moved destination, its new address. */
  readonly detail: string;
  readonly since: number;
}

interface WatchedLink {
  readonly destination_url: string;
  readonly android_url: string | null;
  readonly ios_url: string | null;
  readonly before_start_url: string | null;
  readonly expired_url: string | null;
  readonly rules: string | null;
  readonly start_at: number | null;
  readonly expires_at: number | null;
  readonly click_limit: number | null;
  readonly clicks_spent: number;
  readonly disabled: number;
}

const maxUrlLength = 2048;
/** Per link: rules can have five hundred. */
const maxPerLink = 100;

/** The addresses that a link leads to, now or later, as they are requested; each once. A disabled link leads nowhere. */
export function watchedDestinations(link: WatchedLink, now: number): readonly string[] {
  if (link.disabled === 1) return [];
  const hasEnded =
    (link.expires_at !== null && link.expires_at <= now) ||
    (link.click_limit !== null && link.clicks_spent >= link.click_limit);
  const texts = hasEnded
    ? [link.expired_url]
    : [
        link.destination_url,
        link.android_url,
        link.ios_url,
        link.start_at !== null && link.start_at > now ? link.before_start_url : null,
        link.expired_url,
        ...readRules(link.rules).flatMap(({ destination_url, variants = [] }) => [
          destination_url ?? null,
          ...variants.map((variant) => variant.destination_url),
        ]),
      ];
  const urls = texts.flatMap((text) => (text === null ? [] : (requestUrl(text) ?? [])));
  return [...new Set(urls)].slice(0, maxPerLink);
}

/** Null for addresses outside the web, such as an app's own scheme. */
function requestUrl(text: string): string | null {
  const url = URL.parse(locationOf(text));
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  url.hash = '';
  return url.href.length > maxUrlLength ? null : url.href;
}

export function readProblems(stored: string | null): readonly DestinationProblem[] {
  return stored === null ? [] : (JSON.parse(stored) as DestinationProblem[]);
}

const maxKept = 10;

export const writeProblems = (problems: readonly DestinationProblem[]): string | null =>
  problems.length === 0 ? null : JSON.stringify(problems.slice(0, maxKept));

/** The remaining problems after a link was changed: those of destinations that it still has. */
export function problemsLeft(
  link: WatchedLink & {
    readonly destination_problems: string | null;
    readonly watch_destination: number | null;
  },
  now: number,
): string | null {
  if (link.destination_problems === null || link.watch_destination === 0) return null;
  const urls = watchedDestinations(link, now);
  return writeProblems(readProblems(link.destination_problems).filter(({ url }) => urls.includes(url)));
}
