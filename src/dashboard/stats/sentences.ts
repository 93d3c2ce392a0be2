import type { Stats } from '../api-types.ts';
import { counted, dateForm, number } from '../format.ts';
import type { RangePlan } from './range.ts';

/** "1,204 clicks in 30 days, 12 % more than the 30 before". */
export function titleOf(
  now: number,
  before: number | null,
  { during, beforeName }: Pick<RangePlan, 'during' | 'beforeName'>,
  noun: 'click' | 'hit',
): string {
  const amount = now === 0 ? `No ${noun}s` : counted(now, noun);
  const than = before === null ? null : comparison(now, before, beforeName);
  return `${amount} ${during}${than ? `, ${than}` : ''}`;
}

/** Null if there is nothing to compare with. */
export function comparison(now: number, before: number, beforeName: string): string | null {
  if (before === 0) return null;
  if (now === 0) return `${number(before)} in ${beforeName}`;
  if (now === before) return `as many as in ${beforeName}`;
  if (now >= before * 10) return `${number(Math.floor(now / before))} times as many as in ${beforeName}`;
  const change = Math.round((Math.abs(now - before) / before) * 100);
  if (change === 0) return `about as many as in ${beforeName}`;
  const share = change === 100 && now < before ? 'over 99' : number(change);
  return `${share}\u00a0% ${now > before ? 'more' : 'fewer'} than ${beforeName}`;
}

const day = dateForm({ day: 'numeric', month: 'long', year: 'numeric' });

/** The day since when individual clicks are kept, if the range begins before it; otherwise null. */
export const keptSince = ({ from, raw_since }: Pick<Stats, 'from' | 'raw_since'>): string | null =>
  Date.parse(from) < Date.parse(raw_since) ? day.format(new Date(raw_since)) : null;

type Uncounted = NonNullable<Stats['totals']['not_counted']>;

const kinds: readonly (readonly [keyof Uncounted, string, string])[] = [
  ['preview', 'preview', 'previews'],
  ['bot', 'bot', 'bots'],
  ['prefetch', 'prefetch', 'prefetches'],
  ['head', 'HEAD request', 'HEAD requests'],
];

/** The hits that aren't clicks: those of machines, and those of people that are not counted. */
export function notCountedSentences(found: Uncounted): readonly string[] {
  const machines = kinds.flatMap(([kind, one, many]) =>
    found[kind] > 0 ? [{ hits: found[kind], words: counted(found[kind], one, many) }] : [],
  );
  const hits = machines.reduce((sum, one) => sum + one.hits, 0);
  const sentences: string[] = [];
  if (hits > 0) {
    const parts = machines.toSorted((a, b) => b.hits - a.hits).map(({ words }) => words);
    sentences.push(
      `${counted(hits, 'hit')} ${hits === 1 ? 'was not a person' : 'were not people'}: ${parts.join(', ')}.`,
    );
  }
  const peopleParts = [
    found.page > 0 &&
      `${number(found.page)} met a page (a password, a captcha or an ended link) and went no further`,
    found.repeat > 0 && `${number(found.repeat)} repeated a click within seconds`,
  ].filter((part) => part !== false);
  const people = found.page + found.repeat;
  if (people > 0) {
    const were = people === 1 ? 'was a person, but no click' : 'were people, but no clicks';
    sentences.push(`${counted(people, 'hit')} ${were}: ${peopleParts.join('; ')}.`);
  }
  if (found.flood > 0)
    sentences.push(
      `${counted(found.flood, 'hit')} ${found.flood === 1 ? 'was' : 'were'} part of a flood: more a minute from one network than any crowd makes.`,
    );
  return sentences;
}

const classByReason: Readonly<Record<string, keyof Uncounted>> = {
  browser: 'page',
  app_browser: 'page',
  head_method: 'head',
  purpose_header: 'prefetch',
  preview_agent: 'preview',
  recent_visit: 'repeat',
  flood: 'flood',
};

type UncountedGroups = readonly Pick<NonNullable<Stats['groups']>[number], 'value' | 'not_counted'>[];

/** The reason of hits that a person has moved to another kind, whichever that is. */
const reclassified = 'reclassified';

export const reclassifiedIn = (groups: UncountedGroups): number =>
  groups.find(({ value }) => value === reclassified)?.not_counted ?? 0;

/** The kinds of hits by their reasons: every reason belongs to one kind, except `reclassified`. */
export function uncountedByReason(groups: UncountedGroups): Uncounted {
  const found = { page: 0, preview: 0, bot: 0, prefetch: 0, head: 0, repeat: 0, flood: 0 };
  for (const { value, not_counted } of groups)
    if (value !== reclassified) found[classByReason[value ?? ''] ?? 'bot'] += not_counted;
  return found;
}
