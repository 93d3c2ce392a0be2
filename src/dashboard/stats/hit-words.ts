import type { Click } from '../api-types.ts';
import { counted } from '../words.ts';
import { nameOf } from './value-names.ts';

const kinds: Readonly<Record<string, string>> = {
  preview: 'Preview',
  bot: 'Bot',
  prefetch: 'Prefetch',
  head: 'HEAD request',
  repeat: 'Repeat',
};

const outcomes: Readonly<Record<string, string>> = {
  ask_password: 'Asked for the password',
  ask_captcha: 'Asked for the captcha',
  expired: 'Met the expired page',
  refused: 'Was refused',
};

const ways: Readonly<Record<string, string>> = {
  android: 'Led to the Android destination',
  ios: 'Led to the iOS destination',
};

export const isClick = (hit: Click): boolean => hit.class === 'human' && hit.outcome === 'redirect';

/** What it was, in a word or two. */
export function kindOf(hit: Click): string {
  if (isClick(hit)) return 'Click';
  return kinds[hit.class] ?? 'Person';
}

/** Why it is no click; for a click, where it led when that is not where all lead. */
export function reasonOf(hit: Click): string {
  if (isClick(hit)) return ways[hit.destination ?? ''] ?? '';
  return hit.class === 'human' ? (outcomes[hit.outcome] ?? '') : nameOf('reason', hit.reason);
}

/** "Firefox on Windows". */
export function agentOf({ browser, os, device }: Click): string {
  if (browser && os) return `${browser} on ${os}`;
  return browser ?? os ?? nameOf('device', device);
}

export function cameFrom({
  referrer,
  utm_source,
  utm_medium,
  utm_campaign,
  source,
}: Click): readonly string[] {
  const campaign = [utm_source, utm_medium, utm_campaign].filter((text) => text !== null).join(' · ');
  return [referrer, campaign, source === 'qr' ? 'QR code' : ''].filter(
    (text): text is string => text !== null && text !== '',
  );
}

/** For screen readers: what came in. */
export function announcement(hits: number, last: Click, noun: string): string {
  if (hits !== 1) return `${counted(hits, `new ${noun}`)}.`;
  return `${kindOf(last)} from ${nameOf('country', last.country)}, ${agentOf(last)}.`;
}

const timeForm = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const dayForm = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dateForm = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

export function timeOf(text: string, now = new Date()): { readonly day: string; readonly time: string } {
  const at = new Date(text);
  const form = at.getFullYear() === now.getFullYear() ? dayForm : dateForm;
  return { day: form.format(at), time: timeForm.format(at) };
}
