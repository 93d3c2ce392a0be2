import { expect, test } from 'bun:test';
import { seededRandom } from '../../../test/support/seeded-random.ts';
import { visitedLink } from '../../../test/support/test-link.ts';
import { testVisitor } from '../../../test/support/test-visitor.ts';
import { devices } from '../click-fields.ts';
import { dayLength, hourLength } from '../durations.ts';
import { linkRulesOf } from './link-rules.ts';
import { type LinkOptions, resolve } from './resolve.ts';
import type { PlainConditions, RuleConditions, RuleFields } from './rule-fields.ts';
import type { AgentKind, Device } from './visitor.ts';

/**
 * A second implementation, slow and simple: it parses the stored fields each time, tries every country of a union by name,
 * compares addresses bit by bit, and computes every local time with Temporal. Variants are tested by `rule-variants.test.ts`.
 */
const draw = seededRandom(20_261_123);
const pick = <T>(choices: readonly T[]): T => choices[draw(choices.length)] as T;
const some = <T>(choices: readonly T[]): T[] => Array.from({ length: 1 + draw(2) }, () => pick(choices));
const maybe = <T>(chance: number, make: () => T): T | null => (draw(chance) === 0 ? make() : null);

const base = Date.UTC(2026, 9, 24);
/** Times around the end of daylight saving time in Europe: some minutes, and the milliseconds next to them. */
const instant = (): number =>
  base + draw(3 * 24) * hourLength + pick([0, 0, 30, 59]) * 60_000 + pick([0, 0, -1, 1]);
const iso = (at: number) => new Date(at).toISOString();

const countries = ['DE', 'AT', 'US', 'GB', 'XX', 'JP'];
const regions = ['DE-BY', 'US-CA', ''];
const cities = ['Munich', 'San José', ''];
const languages = ['de', 'pt', 'pt-BR', 'en', 'en-US', 'zh-Hant-TW'];
const systems = ['iOS', 'Android', 'Windows'];
const browsers = ['Safari', 'Chrome', 'Instagram'];
const hosts = ['example.com', 'www.example.com', 'news.example.com', 'other.example', ''];
const addresses = [
  '192.0.2.1',
  '192.0.2.200',
  '198.51.100.7',
  '2001:db8::1',
  '2001:db8:1::1',
  '::ffff:192.0.2.1',
  '',
];
const networks = [
  '192.0.2.0/24',
  '192.0.2.128/25',
  '0.0.0.0/0',
  '198.51.100.7',
  '2001:db8::/32',
  '2001:db8:1::/48',
];
const searches = ['', '?', '?qr', '?a=1', '?a=2&b', '?b=1&a=1&qr=x', '?a=%31', '?A=1'];
const times = ['00:00', '02:30', '09:00', '17:00', '22:00'];
const weekdays = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'] as const;

function hours() {
  const from = maybe(2, () => pick(times)) ?? undefined;
  const to = [...times, '24:00'].filter(
    (time) => time !== (from ?? '00:00') && (time !== '24:00' || from !== '00:00'),
  );
  return {
    timezone: pick(['Europe/Berlin', 'UTC', 'America/Los_Angeles', 'Asia/Kathmandu']),
    ...(draw(2) ? { days: some(weekdays) } : {}),
    ...(from === undefined ? {} : { from }),
    ...(draw(2) ? { to: pick(to.filter((time) => time !== '00:00' || from !== undefined)) } : {}),
  };
}

const conditionMakers: readonly (() => PlainConditions)[] = [
  () => ({ country: some([...countries, 'EU']) }),
  () => ({ region: some(regions.slice(0, 2)) }),
  () => ({ city: some(['munich', 'San Jose\u0301']) }),
  () => ({ language: some(languages) }),
  () => ({ device: some(devices) }),
  () => ({ os: some(systems) }),
  () => ({ browser: some(browsers) }),
  () => ({ query: { [pick(['a', 'b'])]: pick([[], ['1'], ['1', '2']]), ...(draw(3) ? {} : { b: [] }) } }),
  () => ({ referrer: some([...hosts, '*.example.com']) }),
  () => ({ network: some(networks) }),
  () => ({ from: iso(instant()) }),
  () => ({ to: iso(instant()) }),
  () => ({ hours: hours() }),
  () => ({ source: some(['qr', 'link'] as const) }),
];
const conditions = (): PlainConditions =>
  Object.assign({}, ...Array.from({ length: draw(3) }, () => pick(conditionMakers)()));
const when = (): RuleConditions => ({ ...conditions(), ...(draw(3) ? {} : { not: conditions() }) });

const rule = (_: unknown, index: number): RuleFields => ({
  id: `r${index}`,
  name: null,
  when: when(),
  destination_url: `https://rule.example/${index}`,
});

interface VisitorTraits {
  readonly agent: AgentKind;
  readonly device: Device;
  readonly knowsPassword: boolean;
  readonly solvedCaptcha: boolean;
  readonly search: string;
  readonly country: string;
  readonly region: string;
  readonly city: string;
  readonly language: string;
  readonly kind: (typeof devices)[number];
  readonly os: string;
  readonly browser: string;
  readonly referrer: string;
  readonly address: string;
}

const drawVisitor = (): VisitorTraits => ({
  agent: pick(['person', 'person', 'person', 'bot', 'preview']),
  device: pick(['android', 'ios', 'other']),
  knowsPassword: draw(2) === 0,
  solvedCaptcha: draw(2) === 0,
  search: pick(searches),
  country: pick(countries),
  region: pick(regions),
  city: pick(cities),
  language: pick([...languages.map((language) => language.toLowerCase()), 'ptx', '']),
  kind: pick(devices),
  os: pick(systems),
  browser: pick(browsers),
  referrer: pick(hosts),
  address: pick(addresses),
});

interface DrawnLink {
  readonly rules: readonly RuleFields[];
  readonly options: Partial<LinkOptions>;
}

const drawLink = (): DrawnLink => ({
  rules: Array.from({ length: 1 + draw(4) }, rule),
  options: {
    disabled: draw(20) === 0,
    startsAt: maybe(6, instant),
    expiresAt: maybe(6, instant),
    beforeStartUrl: maybe(2, () => 'https://soon.example/'),
    expiredUrl: maybe(2, () => 'https://over.example/'),
    clickLimit: maybe(6, () => pick(['open', 'open', 'spent'] as const)),
    botProtection: draw(4) === 0,
    ogTitle: maybe(4, () => 'title'),
    passwordHash: maybe(5, () => 'hash'),
    captcha: draw(5) === 0,
    androidUrl: maybe(3, () => 'https://android.example/'),
    iosUrl: maybe(3, () => 'https://ios.example/'),
  },
});

const euMembers = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK';

/** An address as a string of 32 or 128 binary digits. */
function bitsOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  const bits = (parts: readonly number[], size: number) =>
    parts.map((part) => part.toString(2).padStart(size, '0')).join('');
  if (!plain.includes(':')) return plain === '' ? '' : bits(plain.split('.').map(Number), 8);
  const [head = '', tail = ''] = plain.split('::').map((side) => side);
  const [left, right] = [head, tail].map((side) =>
    side === '' ? [] : side.split(':').map((part) => Number.parseInt(part, 16)),
  );
  const [front, back] = [left ?? [], right ?? []];
  return bits([...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back], 16);
}

function isWithin(address: string, network: string): boolean {
  const [start = '', length] = network.split('/');
  const [one, other] = [bitsOf(address), bitsOf(start)];
  const compared = length === undefined ? other.length : Number(length);
  return one.length === other.length && one.slice(0, compared) === other.slice(0, compared);
}

function isOpen(
  { timezone, days, from = '00:00', to = '24:00' }: NonNullable<PlainConditions['hours']>,
  now: number,
) {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone);
  const clock = `${local.toPlainTime().toString().slice(0, 5)}`;
  const isDay = (dayOfWeek: number) => {
    const name = weekdays[(dayOfWeek + 6) % 7];
    return days === undefined || (name !== undefined && days.includes(name));
  };
  const today = isDay(local.dayOfWeek);
  if (from < to) return today && from <= clock && clock < to;
  return (today && clock >= from) || (isDay(local.dayOfWeek - 1) && clock < to);
}

/** For each of these conditions, whether it is met. */
function conditionsMet(wanted: PlainConditions, visitor: VisitorTraits, now: number): boolean[] {
  const {
    country,
    region,
    city,
    language,
    device,
    os,
    browser,
    query,
    referrer,
    network,
    from,
    to,
    hours,
    source,
  } = wanted;
  const parameters = new URLSearchParams(visitor.search);
  const verdicts: (boolean | null)[] = [
    country
      ? country.some(
          (one) =>
            one === visitor.country || (one === 'EU' && euMembers.split(' ').includes(visitor.country)),
        )
      : null,
    region ? region.includes(visitor.region) : null,
    city ? city.some((one) => one.localeCompare(visitor.city, 'en', { sensitivity: 'accent' }) === 0) : null,
    language ? language.some((one) => new RegExp(`^${one}(-|$)`, 'i').test(visitor.language)) : null,
    device ? device.includes(visitor.kind) : null,
    os ? os.includes(visitor.os) : null,
    browser ? browser.includes(visitor.browser) : null,
    query
      ? Object.keys(query).every((name) => {
          const sent = [...parameters].filter(([one]) => one === name).map(([, value]) => value);
          return query[name]?.length ? sent.some((value) => query[name]?.includes(value)) : sent.length > 0;
        })
      : null,
    referrer
      ? referrer.some((one) =>
          one.startsWith('*.')
            ? visitor.referrer.endsWith(one.slice(1))
            : one.replace('www.', '') === visitor.referrer.replace('www.', ''),
        )
      : null,
    network ? network.some((one) => isWithin(visitor.address, one)) : null,
    from === undefined ? null : iso(now) >= from,
    to === undefined ? null : iso(now) < to,
    hours ? isOpen(hours, now) : null,
    source ? source.includes(parameters.has('qr') ? 'qr' : 'link') : null,
  ];
  return verdicts.filter((verdict) => verdict !== null);
}

function expectedOutcome({ rules, options }: DrawnLink, visitor: VisitorTraits, now: number): string {
  if (options.disabled) return 'expired';
  if (options.startsAt && now < options.startsAt) return `not_started ${options.beforeStartUrl ?? ''}`.trim();
  if (options.expiresAt && now >= options.expiresAt) return `expired ${options.expiredUrl ?? ''}`.trim();
  if (options.clickLimit === 'spent') return `expired ${options.expiredUrl ?? ''}`.trim();
  if (visitor.agent === 'preview' && (options.ogTitle || options.botProtection)) return 'preview';
  if (visitor.agent === 'bot' && options.botProtection) return 'refused';
  if (options.passwordHash && !visitor.knowsPassword) return 'ask_password';
  if (options.captcha && !visitor.solvedCaptcha) return 'ask_captcha';
  const first = rules.find(
    ({ when: { not = {}, ...all } }) =>
      conditionsMet(all, visitor, now).every(Boolean) && !conditionsMet(not, visitor, now).some(Boolean),
  );
  if (first) return `redirect ${first.destination_url} rule ${first.id}`;
  if (visitor.device === 'android' && options.androidUrl) return `redirect ${options.androidUrl} android`;
  if (visitor.device === 'ios' && options.iosUrl) return `redirect ${options.iosUrl} ios`;
  return 'redirect https://example.com/ default';
}

function outcomeOf({ rules, options }: DrawnLink, visitor: VisitorTraits, now: number): string {
  const all = { ...options, rules: linkRulesOf(1, JSON.stringify(rules)) };
  const found = resolve(
    visitedLink('https://example.com/', all),
    testVisitor({
      agent: () => visitor.agent,
      device: () => visitor.device,
      passedPassword: () => visitor.knowsPassword,
      passedCaptcha: () => visitor.solvedCaptcha,
      search: () => visitor.search,
      country: () => visitor.country,
      region: () => visitor.region,
      city: () => visitor.city,
      language: () => visitor.language,
      traits: () => ({ device: visitor.kind, os: visitor.os, browser: visitor.browser }),
      referrer: () => visitor.referrer,
      address: () => visitor.address,
    }),
    now,
  );
  if (found.kind === 'redirect') return `redirect ${found.to} ${found.target} ${found.by?.rule ?? ''}`.trim();
  return 'to' in found && found.to !== null ? `${found.kind} ${found.to}` : found.kind;
}

/** `npm run test:fuzz` tries more. */
const cases = Number(process.env.CASES ?? 20_000);

test(`${cases} random links and visitors have the same outcomes as in a slow and simple implementation`, () => {
  const outcomes = new Map<string, number>();
  const differences: unknown[] = [];
  for (let turn = 0; turn < cases; turn++) {
    const [link, visitor, now] = [
      drawLink(),
      drawVisitor(),
      instant() + (draw(50) === 0 ? 3 * dayLength : 0),
    ];
    const [actual, expected] = [outcomeOf(link, visitor, now), expectedOutcome(link, visitor, now)];
    if (actual !== expected) differences.push({ link, visitor, now: iso(now), actual, expected });
    const kind = actual.replace(/ https\S+/, '');
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
  }
  expect(differences.slice(0, 3)).toEqual([]);
  // Every possible outcome occurred.
  expect([...outcomes.keys()].sort()).toEqual([
    'ask_captcha',
    'ask_password',
    'expired',
    'not_started',
    'preview',
    'redirect android',
    'redirect default',
    'redirect ios',
    'redirect rule r0',
    'redirect rule r1',
    'redirect rule r2',
    'redirect rule r3',
    'refused',
  ]);
  expect(Math.min(...outcomes.values())).toBeGreaterThan(100);
});
