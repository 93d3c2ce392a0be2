import type { ClickCorrection } from '../api-types.ts';
import { counted, day, instant, instantOf, number } from '../format.ts';
import type { HitCount } from './calls.ts';

const classNames: Readonly<Record<string, string>> = {
  human: 'clicks',
  flood: 'flood',
  bot: 'bots',
  repeat: 'repeats',
};
const named = (name: string | null): string => classNames[name ?? ''] ?? 'hits';

/** "1,204 hits erased", "311 hits moved from flood to clicks". */
export function correctionSummary(correction: ClickCorrection): string {
  const { kind, hits, not_kept, state, class: from, to_class: to } = correction;
  const isOver = state === 'done';
  const count = kind === 'erase' ? hits + not_kept : hits;
  if (kind === 'erase')
    return isOver ? `${counted(count, 'hit')} erased` : `Erasing: ${counted(count, 'hit')} so far`;
  const move = `from ${named(from)} to ${named(to)}`;
  if (!isOver) return `Moving ${move}: ${counted(count, 'hit')} so far`;
  return `${counted(count, 'hit')} ${kind === 'take_back' ? 'moved back' : 'moved'} ${move}`;
}

/** The result of a call, as a notice. */
export function outcomeOf(correction: ClickCorrection): string {
  const unchangedSentence =
    correction.kind === 'reclassify' && correction.not_kept > 0
      ? ` ${counted(correction.not_kept, 'older one stays', 'older ones stay')} as they are: their individual hits are no longer kept.`
      : '';
  if (correction.state === 'running')
    return `${correctionSummary(correction)}. It continues in the background, and the list shows the progress.`;
  return `${correctionSummary(correction)}.${unchangedSentence}`;
}

/** "all of them", "9 Nov 2026", "from 3 to 9 Nov 2026". */
export function spanOf({
  from,
  to,
  created_at,
}: Pick<ClickCorrection, 'from' | 'to' | 'created_at'>): string {
  const isOpen = instantOf(to) >= instantOf(created_at);
  if (from === null) return isOpen ? 'all until then' : `until ${ending(to)}`;
  const begin = isMidnight(from) ? day(from) : instant(from);
  if (isOpen) return `since ${begin}`;
  const end = ending(to);
  return begin === end ? begin : `${begin} to ${end}`;
}

/** The last day that is included, or the instant. */
const ending = (to: string): string =>
  isMidnight(to) ? day(new Date(instantOf(to).getTime() - 1).toISOString()) : instant(to);

const isMidnight = (text: string): boolean => {
  const at = instantOf(text);
  return at.getHours() + at.getMinutes() + at.getSeconds() + at.getMilliseconds() === 0;
};

export function toBeErased({ hits, clicks }: Pick<HitCount, 'hits' | 'clicks'>): string {
  if (hits === 0) return 'There are no hits to erase.';
  if (hits === clicks) return `${counted(clicks, 'click goes', 'clicks go')}.`;
  if (hits === 1) return '1 hit goes, which is no click.';
  return clicks === 0
    ? `${counted(hits, 'hit')} go, none of them a click.`
    : `${counted(hits, 'hit')} go, ${number(clicks)} of them ${clicks === 1 ? 'a click' : 'clicks'}.`;
}
