import { type Link, type LinkRule, linkSettings, type Tag } from '../../api-types.ts';
import type { Input } from '../../client.ts';
import { readableAddress } from '../../short-links.ts';

export type WebhookEvent = Link['webhook_events'][number];

/** The fields of a link that can be changed. */
export type Fields = Readonly<ReturnType<typeof fieldsOf>>;

export type FieldName = keyof Fields;
type NameOf<Type> = { [Name in FieldName]: Fields[Name] extends Type ? Name : never }[FieldName];
export type TextName = NameOf<string>;
export type FlagName = NameOf<boolean>;
export type Draft = { -readonly [Name in FieldName]?: Fields[Name] };

export const labels: Readonly<Record<FieldName, string>> = {
  destination_url: 'Destination',
  name: 'Name',
  notes: 'Notes',
  tags: 'Tags',
  domain: 'Domain',
  suffix: 'Suffix',
  aliases: 'Aliases',
  android_link_destination: 'Destination on Android',
  ios_link_destination: 'Destination on iPhone and iPad',
  rules: 'Rules',
  og_title: 'Card title',
  og_description: 'Card description',
  og_image: 'Card picture',
  password: 'Password',
  start_date: 'Start',
  before_start_url: 'Destination before the start',
  expiration_date: 'Expiration',
  click_limit: 'Click limit',
  expired_url: 'Destination after the end',
  bot_protection: 'Bot protection',
  captcha: 'Captcha',
  disabled: 'Disabled',
  archived: 'Archived',
  on_paper: 'On paper',
  statistics: 'Statistics',
  watch_destination: 'Destination watch',
  qr_code_foreground_hex: 'QR code colour',
  qr_code_background_hex: 'QR background colour',
  qr_code_marker: 'QR scans counted separately',
  webhook_url: 'Webhook address',
  webhook_auth_key: 'Webhook key',
  webhook_events: 'Webhook events',
};

const isFieldName = (text: string): text is FieldName => Object.hasOwn(labels, text);
export const fieldNames: readonly FieldName[] = Object.keys(labels).filter(isFieldName);
export const webhookFields: readonly FieldName[] = ['webhook_url', 'webhook_auth_key', 'webhook_events'];
const ruleFields: readonly FieldName[] = ['rules'];

/** The fields that a tab of the page shows. */
export function fieldsOn(tab: string): readonly FieldName[] {
  if (tab === 'webhook') return webhookFields;
  if (tab === 'rules') return ruleFields;
  const onOtherTabs = [...webhookFields, ...ruleFields];
  return tab === 'details' ? fieldNames.filter((name) => !onOtherTabs.includes(name)) : [];
}

/** A text that isn't set is empty. Dates are ISO 8601, UTC. */
export const fieldsOf = (link: Link) => ({
  destination_url: link.destination_url,
  name: link.name ?? '',
  notes: link.notes ?? '',
  tags: link.tags,
  /** With its scheme. */
  domain: link.domain,
  suffix: link.suffix,
  /** As the API has them, or as they were typed. */
  aliases: link.aliases,
  android_link_destination: link.android_link_destination ?? '',
  ios_link_destination: link.ios_link_destination ?? '',
  rules: link.rules,
  og_title: link.og_title ?? '',
  og_description: link.og_description ?? '',
  og_image: link.og_image ?? '',
  /** Empty: unchanged; the stored one is never shown. Null: remove it. */
  password: '' as string | null,
  start_date: link.start_date,
  before_start_url: link.before_start_url ?? '',
  expiration_date: link.expiration_date,
  click_limit: link.click_limit,
  expired_url: link.expired_url ?? '',
  bot_protection: link.bot_protection,
  captcha: link.captcha,
  disabled: link.disabled,
  archived: link.archived,
  on_paper: link.on_paper,
  statistics: link.statistics,
  /** Null: the organization's setting applies. */
  watch_destination: link.watch_destination,
  qr_code_foreground_hex: link.qr_code_foreground_hex,
  qr_code_background_hex: link.qr_code_background_hex,
  qr_code_marker: link.qr_code_marker,
  webhook_url: link.webhook_url ?? '',
  webhook_auth_key: link.webhook_auth_key ?? '',
  webhook_events: link.webhook_events,
});

/** The order of a rule's keys doesn't matter. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

function keyOf(value: Tag | LinkRule | string, index: number): string {
  if (typeof value === 'string') return value;
  return 'when' in value ? `${index} ${JSON.stringify(value, sorted)}` : String(value.id);
}

/** The order of lists doesn't matter, except for rules. */
export function isSame(one: Fields[FieldName], other: Fields[FieldName]): boolean {
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object')
    return one === other;
  const keys = new Set([...other].map(keyOf));
  return one.length === other.length && [...one].every((value, index) => keys.has(keyOf(value, index)));
}

/** The draft without the values that the base already has. */
export const draftOn = (base: Fields, draft: Draft): Draft =>
  Object.fromEntries(
    fieldNames.flatMap((name) => {
      const value = draft[name];
      return value === undefined || isSame(value, base[name]) ? [] : [[name, value] as const];
    }),
  );

/**
 * The input for a copy of a link: every setting but the addresses, the id that only one link can have, and the password, which
 * can't be read. A copy is made to be used, so it is neither disabled nor archived; and its own address is not in print yet.
 */
export const copyOf = (link: Link, password: string): Input<'POST /api/v1/link'>['body'] => ({
  ...settingsOf(link),
  suffix: null,
  aliases: null,
  external_id: null,
  disabled: false,
  archived: false,
  on_paper: false,
  tags: link.tags.map(({ id }) => id),
  password,
});

type Settings = Pick<Link, (typeof linkSettings)[number]>;
const settingsOf = (link: Link): Settings =>
  Object.fromEntries(linkSettings.map((name) => [name, link[name]])) as Settings;

/** A name of spaces only is none. */
const withoutBlankName = (draft: Draft): Draft =>
  draft.name?.trim() === '' ? { ...draft, name: '' } : draft;

/** The names of the API for what is added to a list and removed from it. */
export const changeNames = {
  tags: ['add_tags', 'remove_tags'],
  aliases: ['add_aliases', 'remove_aliases'],
} as const;

/**
 * The input of an update: only the changes, and tags and aliases as added and removed ones. If it is made later, the link keeps those
 * that it got meanwhile.
 */
export function patchOf(base: Fields, draft: Draft): Input<'PATCH /api/v1/link/{id}'>['body'] {
  const { tags, aliases, ...rest } = withoutBlankName(draft);
  return {
    ...rest,
    ...(tags && tagChanges(base.tags, tags)),
    ...(aliases && aliasChanges(base.aliases, aliases)),
  };
}

function tagChanges(tagsBefore: Fields['tags'], tagsAfter: Fields['tags']) {
  const [before, after] = [tagsBefore.map(({ id }) => id), tagsAfter.map(({ id }) => id)];
  return {
    add_tags: after.filter((id) => !before.includes(id)),
    remove_tags: before.filter((id) => !after.includes(id)),
  };
}

function aliasChanges(before: Fields['aliases'], after: Fields['aliases']) {
  const beyond = (some: Fields['aliases'], others: Fields['aliases']) => {
    const known = others.map(readableAddress);
    return some.filter((alias) => !known.includes(readableAddress(alias)));
  };
  const [added, removed] = [beyond(after, before), beyond(before, after)];
  return {
    ...(added.length > 0 && { add_aliases: added }),
    ...(removed.length > 0 && { remove_aliases: removed }),
  };
}

/** The differences between two states of a link. A replaced password can't be detected. */
export function differences(before: Link, after: Link): readonly FieldName[] {
  const [fieldsBefore, fieldsAfter] = [fieldsOf(before), fieldsOf(after)];
  return fieldNames.filter((name) =>
    name === 'password'
      ? before.has_password !== after.has_password
      : !isSame(fieldsBefore[name], fieldsAfter[name]),
  );
}

const urlNames: readonly FieldName[] = [
  'destination_url',
  'android_link_destination',
  'ios_link_destination',
  'og_image',
  'before_start_url',
  'expired_url',
  'webhook_url',
];

/** A web address, typed or stored, in the form that is compared: typed ones may lack the scheme. */
function comparable(text: string): string {
  const typed = text.trim();
  return URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`)?.href ?? typed;
}

/** Whether a link already has the draft's value of a field. */
export function hasDraftValue(link: Link, draft: Draft, name: FieldName): boolean {
  const draftValue = draft[name];
  if (draftValue === undefined) return false;
  if (name === 'password') return link.has_password === (draftValue !== null);
  const value = fieldsOf(link)[name];
  return urlNames.includes(name) && typeof draftValue === 'string' && typeof value === 'string'
    ? comparable(draftValue) === comparable(value)
    : isSame(draftValue, value);
}
