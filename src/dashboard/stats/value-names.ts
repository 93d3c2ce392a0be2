import { namesOfHosts } from '../short-links.ts';
import { type Dimension, dimensionTexts } from './dimensions.ts';
import { ownAddress, ruleNames } from './rule-names.ts';

const countries = new Intl.DisplayNames('en', { type: 'region' });
const languages = new Intl.DisplayNames('en', { type: 'language' });

/** Unknown codes stay as they are. */
function displayName(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

export const countryName = (code: string): string =>
  code === 'XX' ? 'Unknown country' : displayName(countries, code);

/** For `US-IL`: "IL, United States". */
function regionName(code: string): string {
  const [country = '', region] = code.split('-');
  return region === undefined ? code : `${region}, ${countryName(country)}`;
}

/** For `US-IL/Springfield`: "Springfield, IL, United States". */
function cityName(value: string): string {
  const [, place = '', name] = /^([A-Z]{2}(?:-[A-Z0-9]+)?)\/(.+)$/.exec(value) ?? [];
  if (name === undefined) return value;
  return `${name}, ${place.includes('-') ? regionName(place) : countryName(place)}`;
}

/** Hosts are stored in their ASCII form. */
function addressName(value: string): string {
  const slash = value.indexOf('/');
  return (namesOfHosts.value.get(value.slice(0, slash)) ?? value.slice(0, slash)) + value.slice(slash);
}

const ownAddressName = (): string =>
  ownAddress.value === '' ? dimensionTexts.address.none : `Own address, now ${ownAddress.value}`;

const words: Readonly<Partial<Record<Dimension, Readonly<Record<string, string>>>>> = {
  device: {
    desktop: 'Desktop or laptop',
    mobile: 'Phone',
    tablet: 'Tablet',
    tv: 'Television',
    other: 'Other device',
  },
  destination: {
    default: 'For all devices',
    android: 'For Android',
    ios: 'For iOS',
    rule: 'By a rule',
    none: 'None',
  },
  source: { link: 'Link', qr: 'QR code' },
  class: {
    click: 'Clicks',
    human: 'People',
    page: 'People who were not redirected',
    preview: 'Previews',
    bot: 'Bots',
    prefetch: 'Prefetches',
    head: 'HEAD requests',
    repeat: 'Repeats of a click within seconds',
    flood: 'Floods from one network',
  },
  reason: {
    browser: 'A browser that got a password, captcha or ended page',
    app_browser: "An app's browser that got a password, captcha or ended page",
    head_method: 'Requested only the headers (HEAD)',
    unusual_method: 'A method that no browser uses for a link',
    purpose_header: 'Prefetched, before anyone clicked',
    empty_user_agent: "Didn't say what it is",
    preview_agent: 'Fetched a preview for a chat or a social network',
    link_scanner: 'A security scanner that tries links',
    monitor: 'A monitor that checks whether sites are up',
    automation: 'A browser controlled by a program',
    http_library: 'A program or script, not a browser',
    known_crawler: 'A crawler of a search engine or archive',
    bot_pattern: 'Calls itself a bot',
    unlike_browser: "Doesn't look like any browser",
    not_navigation: 'Fetched as a part of a page (Sec-Fetch-Mode), not opened',
    no_browser_headers: 'Claims to be Chrome, but sends none of its headers',
    recent_visit: 'A click that its browser sent again within seconds',
    flood: 'More per minute from one network than any crowd makes',
    reclassified: 'Reclassified by a person',
  },
};

/** The name of an API value; '' and null stand for the hits without one. */
export function nameOf(dimension: Dimension, value: string | null): string {
  if (value === null || value === '')
    return dimension === 'address' ? ownAddressName() : dimensionTexts[dimension].none;
  if (dimension === 'country') return countryName(value);
  if (dimension === 'region') return regionName(value);
  if (dimension === 'city') return cityName(value);
  if (dimension === 'address') return addressName(value);
  if (dimension === 'language') return displayName(languages, value);
  if (dimension === 'rule' || dimension === 'variant') return ruleNames.value.get(value) ?? value;
  const own = words[dimension];
  return own && Object.hasOwn(own, value) ? (own[value] ?? value) : value;
}
