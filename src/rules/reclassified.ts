import { type ClassReason, type ClickClass, classCodes, reasonCodes, reasons } from './click-fields.ts';

/** The classes between which people may move hits. */
export const reclassifiable = ['human', 'flood', 'bot', 'repeat'] as const satisfies readonly ClickClass[];
export type Reclassifiable = (typeof reclassifiable)[number];

/** A hit's original class, by its reason. */
const firstClasses: Readonly<Record<Exclude<ClassReason, 'reclassified'>, ClickClass>> = {
  browser: 'human',
  app_browser: 'human',
  head_method: 'head',
  unusual_method: 'bot',
  purpose_header: 'prefetch',
  empty_user_agent: 'bot',
  preview_agent: 'preview',
  link_scanner: 'bot',
  monitor: 'bot',
  automation: 'bot',
  http_library: 'bot',
  known_crawler: 'bot',
  bot_pattern: 'bot',
  unlike_browser: 'bot',
  recent_visit: 'repeat',
  not_navigation: 'bot',
  no_browser_headers: 'bot',
  flood: 'flood',
};
const firstClassCodes = reasons.map((reason) =>
  reason === 'reclassified' ? -1 : classCodes[firstClasses[reason]],
);

/**
 * Added to the reason in the ledger when a person has changed a hit's class: the original reason, and with it the class, can be
 * restored. There are fewer reasons than this, so the stored reasons from this one on are shown as reclassified.
 */
export const firstReclassified = 64;

/** The reason that is shown and counted. */
export const shownReason = (stored: number): number =>
  stored < firstReclassified ? stored : reasonCodes.reclassified;

/** The class that a hit had before a person changed it; null if it was not changed. */
export const classBefore = (stored: number): number | null =>
  stored < firstReclassified ? null : (firstClassCodes[stored - firstReclassified] ?? null);

/** The reason to store for a hit with a new class. With its original class it gets its reason back. */
export function reasonToStore(stored: number, newClass: number): number {
  const first = stored % firstReclassified;
  return firstClassCodes[first] === newClass ? first : firstReclassified + first;
}
