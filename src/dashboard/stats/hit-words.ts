import type { Click } from '../api-types.ts';
import { counted, dateForm, dayForm, hourAndMinute, shortDayForm } from '../format.ts';
import { nameOf } from './value-names.ts';

const kinds: Readonly<Record<string, string>> = {
  preview: 'Preview',
  bot: 'Bot',
  prefetch: 'Prefetch',
  head: 'HEAD request',
  repeat: 'Repeat',
  flood: 'Flood',
};

const outcomes: Readonly<Record<string, string>> = {
  ask_password: 'Was asked for the password',
  ask_captcha: 'Was asked for the captcha',
  expired: 'Came after the end of the link',
  not_started: 'Came before the start of the link',
  refused: 'Was refused',
};

const specialDestinations: Readonly<Record<string, string>> = {
  android: 'Redirected to the Android destination',
  ios: 'Redirected to the iOS destination',
  rule: 'Redirected by a rule',
};

export const isClick = (hit: Click): boolean => hit.class === 'human' && hit.outcome === 'redirect';

/** The kind of a hit, in a word or two. */
export function kindOf(hit: Click): string {
  if (isClick(hit)) return 'Click';
  return kinds[hit.class] ?? 'Person';
}

/** Why a hit is no click; for a click, its destination unless it is the default one. */
export function reasonOf(hit: Click): string {
  if (isClick(hit)) return specialDestinations[hit.destination ?? ''] ?? '';
  return hit.class === 'human' ? (outcomes[hit.outcome] ?? '') : nameOf('reason', hit.reason);
}

/** "Firefox on Windows". */
export function agentOf({ browser, os, device }: Click): string {
  if (browser && os) return `${browser} on ${os}`;
  return browser ?? os ?? nameOf('device', device);
}

export function originsOf(hit: Click): readonly string[] {
  const campaign = [hit.utm_source, hit.utm_medium, hit.utm_campaign].filter((text) => text !== null);
  const alias = hit.address && `By ${nameOf('address', hit.address)}`;
  const all = [hit.referrer, campaign.join(' · '), hit.source === 'qr' ? 'QR code' : '', alias];
  return all.filter((text): text is string => text !== null && text !== '');
}

/** What screen readers announce. */
export function announcement(hits: number, last: Click, noun: string): string {
  if (hits !== 1) return `${counted(hits, `new ${noun}`)}.`;
  return `${kindOf(last)} from ${nameOf('country', last.country)}, ${agentOf(last)}.`;
}

const timeForm = dateForm({ ...hourAndMinute, second: '2-digit' });

export function timeOf(text: string, now = new Date()): { readonly day: string; readonly time: string } {
  const at = new Date(text);
  const form = at.getFullYear() === now.getFullYear() ? shortDayForm : dayForm;
  return { day: form.format(at), time: timeForm.format(at) };
}
