import { type Problem, Refusal } from '../errors.ts';
import { hasLongHost } from '../host.ts';
import { invisibleIn, trimInvisible } from '../invisible.ts';
import { isStorable } from '../text.ts';
import { destinationText } from './destination-text.ts';
import { hostTypo, noAddress, typoIn } from './destination-typos.ts';

export const maximumBytes = 8192;
const scheme = /^([a-z][a-z0-9+.-]*):/i;
/** Browsers drop invisible characters from a host. */
const schemeAndHost = /^(?:https?:)?\/\/[^/?#\\]*|^[^/?#\\]*/i;
/** Only the first dot is tried: with any of them, a text of many dots would take quadratic time. */
const hostAndPort = /^(?:localhost|[^\s/?#:@][^\s/?#:@.]*\.[^\s/?#:@]+|\[[0-9a-f:.]+\]):\d{1,5}(?:[/?#]|$)/i;

export interface Destination {
  /** As it is stored and returned. */
  readonly text: string;
  readonly url: URL;
}

const refusal = (field: string, sentence: string, code: Problem['code'] = 'DESTINATION_INVALID'): Refusal =>
  new Refusal(code, sentence, { field });

/**
 * Parses a web address that a user entered, or refuses it. Without a scheme it gets https, as people type `example.com/path`.
 * `appSchemes` are the schemes beyond http and https that the operator allows (an app's own, in lower case).
 */
export function parseDestination(
  text: string,
  field: string,
  appSchemes: readonly string[] = [],
): Destination {
  const given = trimInvisible(text);
  if (!isStorable(given) || /[\r\n\t]/.test(given)) {
    throw refusal(field, 'A web address has no line breaks and no control characters.');
  }
  if (given.length > maximumBytes) throw tooLong(field);
  const named = hostAndPort.test(given) ? undefined : scheme.exec(given)?.[1]?.toLowerCase();
  const isWeb = named === undefined || named === 'http' || named === 'https';
  const isAppScheme = named !== undefined && appSchemes.includes(named);
  const typo = isAppScheme ? undefined : typoIn(given);
  if (typo !== undefined) throw refusal(field, typo);
  if (!isWeb && !isAppScheme) {
    throw refusal(field, refusedScheme(field, named));
  }
  const whole = named === undefined ? `https://${given.replace(/^\/\//, '')}` : given;
  const url = hasLongHost(whole) ? null : URL.parse(whole);
  if (!url) throw refusal(field, invisibleIn(given) ?? noAddress);
  if (url.username || url.password) {
    throw refusal(field, refusedCredentials(field));
  }
  const problem = isWeb ? hostTypo(url, given, named === undefined) : undefined;
  if (problem !== undefined) throw refusal(field, invisibleIn(given) ?? problem);
  const invisible = invisibleIn(whole.replace(schemeAndHost, ''));
  if (invisible !== undefined) throw refusal(field, invisible);
  const destination = destinationText(whole, url, named !== undefined);
  if (destination.length > maximumBytes) throw tooLong(field);
  return { text: destination, url };
}

export const webhookCredentials =
  'A webhook target must not contain a user name or password. Give webhook_auth_key instead.';

const refusedCredentials = (field: string): string =>
  field === 'webhook_url'
    ? webhookCredentials
    : 'A web address with a user name or password in it would show them to every visitor.';

function refusedScheme(field: string, scheme: string): string {
  if (field === 'webhook_url') return `Webhooks are sent to http and https addresses, not to "${scheme}:".`;
  if (field === 'og_image') return `Pictures are taken from http and https addresses, not from "${scheme}:".`;
  return `A link can lead to http and https addresses, not to "${scheme}:".`;
}

const tooLong = (field: string): Refusal =>
  refusal(field, `A web address has at most ${maximumBytes} bytes.`, 'FIELD_TOO_LONG');
