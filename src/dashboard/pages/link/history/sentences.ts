import type { LinkHistoryEntry, LinkRule } from '../../../api-types.ts';
import { instant } from '../../../format.ts';
import { hostOf, readableAddress } from '../../../short-links.ts';
import { type FieldName, labels } from '../fields.ts';
import { listed, rulesInWords } from '../rules/sentences.ts';

export type Change = LinkHistoryEntry['changes'][number];

/** Fields that this page doesn't show. */
const otherLabels: Readonly<Record<string, string>> = {
  forward_query: 'Forwarding of parameters',
  forward_path: 'Forwarding of the path',
  redirect_status: 'Status of the redirect',
  external_id: 'External ID',
};

export const labelOf = (field: string): string => labels[field as FieldName] ?? otherLabels[field] ?? field;

export function actorName({ by, via, action }: LinkHistoryEntry): string {
  if (by) return by.name || by.email;
  if (via === 'linnet') return 'Linnet';
  return action === 'created' && via === null ? 'Somebody' : 'A former member';
}

/** A label within a sentence: "QR code colour" is unchanged. */
const inSentence = (label: string): string =>
  label.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase());

const maxNamed = 3;

/** "changed destination, name and 2 more". */
function changed(changes: readonly Change[]): string {
  const names = changes.map(({ field }) => inSentence(labelOf(field)));
  const shown = names.length > maxNamed + 1 ? names.slice(0, maxNamed) : names;
  const rest = names.length - shown.length;
  return listed(rest > 0 ? [...shown, `${rest} more`] : shown, 'and');
}

export function actionText({ action, back_to, scheduled, changes }: LinkHistoryEntry): string {
  if (action === 'created') return 'created the link';
  if (action === 'deleted') return 'deleted the link';
  if (action === 'restored') return 'restored the link';
  if (action === 'not_applied') return 'had scheduled a change that could not be applied';
  if (scheduled !== null) return `changed ${changed(changes)}, as scheduled`;
  return back_to === null ? `changed ${changed(changes)}` : 'reverted to an earlier state';
}

/** Null for the dashboard: most changes are made there. */
export function channelText({ via, api_key }: LinkHistoryEntry): string | null {
  if (via === 'api_key') return api_key ? `with the API key "${api_key.name}"` : 'with a deleted API key';
  if (via === 'token') return 'with an access token';
  return via === 'import' ? 'by an import' : null;
}

const isRules = (value: readonly (string | object)[]): value is readonly LinkRule[] =>
  value.every((part) => typeof part === 'object' && 'when' in part);

const addressLists: readonly string[] = ['aliases', 'add_aliases', 'remove_aliases'];

function singleText(field: string, value: string): string {
  if (field === 'expiration_date' || field === 'start_date') return instant(value);
  return field === 'domain' ? hostOf({ domain: value }) : value;
}

/** A value in words; null if there was none. */
export function valueText(field: string, value: Change['from']): string | null {
  if (field === 'watch_destination' && value === null) return 'As set in the organization';
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return singleText(field, value);
  if (isRules(value)) return value.length === 0 ? null : rulesInWords(value);
  const parts = value.map((part) =>
    typeof part !== 'string'
      ? (part.name ?? String(part.id))
      : addressLists.includes(field)
        ? readableAddress(part)
        : part,
  );
  return parts.length === 0 ? null : parts.join(', ');
}

/** The common beginning and end of two texts, cut between words, and the difference between. */
export function textDifference(before: string, after: string) {
  const [one, other] = [before, after].map((text) => text.split(/(?<=[\s/?&=.,])/u)) as [string[], string[]];
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorter - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return {
    start: one.slice(0, head).join(''),
    before: one.slice(head, one.length - tail).join(''),
    after: other.slice(head, other.length - tail).join(''),
    end: one.slice(one.length - tail).join(''),
  };
}
