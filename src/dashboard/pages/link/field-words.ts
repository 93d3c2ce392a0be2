import type { Link } from '../../api-types.ts';
import { instant } from '../../words.ts';
import { type FieldName, type Fields, fieldsOf } from './fields.ts';

const text = (value: string): string => (value === '' ? 'none' : value);

/** The value of a field in words. Secrets are not shown. */
function said(fields: Fields, name: Exclude<FieldName, 'password'>): string {
  if (name === 'tags') return text(fields.tags.map((tag) => tag.name).join(', '));
  if (name === 'webhook_events') return text(fields.webhook_events.join(', '));
  if (name === 'webhook_auth_key') return fields.webhook_auth_key === '' ? 'none' : 'another key';
  if (name === 'expiration_date')
    return fields.expiration_date === null ? 'never' : instant(fields.expiration_date);
  const value = fields[name];
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : text(value);
}

export const inWords = (link: Link, name: FieldName): string =>
  name === 'password' ? (link.has_password ? 'a password' : 'no password') : said(fieldsOf(link), name);

export const draftInWords = (fields: Fields, name: FieldName): string =>
  name === 'password' ? (fields.password === null ? 'no password' : 'another password') : said(fields, name);
