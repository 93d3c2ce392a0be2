import { z } from 'zod';
import { readNetwork } from '../../rules/address-rules.ts';
import { browserNames } from '../../rules/agents/agent-browser.ts';
import { systemNames } from '../../rules/agents/agent-system.ts';
import { appNames } from '../../rules/agents/app-browsers.ts';
import { devices, sources } from '../../rules/click-fields.ts';
import { formatIsoOrNull, parseInstant } from '../../rules/instant.ts';
import { maxRules, maxValues, maxVariants, maxWeight, weekdays } from '../../rules/link-rules/rule-fields.ts';
import { readTime } from '../../rules/link-rules/rule-hours.ts';
import { regionCode } from '../../rules/place.ts';
import { clearable, component, readable, text, textOrNull } from './parts.ts';

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const unknownRegion = 'ZZ';
const isCountry = (code: string): boolean =>
  code === 'XX' || (code !== unknownRegion && code !== 'UK' && regions.of(code) !== undefined);

const country = z
  .string()
  .transform((code) => code.toUpperCase())
  .refine((code) => /^[A-Z]{2}$/.test(code) && isCountry(code), {
    error: 'Give countries by two letters (ISO 3166), such as DE or GB; EU for its members, XX for unknown.',
  });

/**
 * A language tag in its usual case; null for an invalid one. It is never replaced by another tag: browsers still send `iw`, whose
 * canonical form is `he`, and what they send is compared unchanged.
 */
function readLanguage(tag: string): string | null {
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,4}$/i.test(tag)) return null;
  try {
    const [canonical = tag] = Intl.getCanonicalLocales(tag);
    return canonical.toLowerCase() === tag.toLowerCase() ? canonical : tag.toLowerCase();
  } catch {
    return null;
  }
}

const language = readable(readLanguage, 'Give languages as BCP 47 has them, such as de or pt-BR.');

/** With a wildcard before it, and the dot of the root after it. */
const maxHost = 256;

/** A host as browsers name it; null for an invalid one. Parsing takes a time quadratic in its length, so that is checked first. */
function readHost(sent: string): string | null {
  if (sent.length > maxHost) return null;
  const [, wildcard = '', name = ''] = /^(\*\.)?(.*)$/s.exec(sent.trim().toLowerCase()) ?? [];
  if (name === '') return wildcard === '' ? '' : null;
  const hostname = /[\s/:?#@*]/.test(name) ? undefined : URL.parse(`https://${name}/`)?.hostname;
  return hostname ? wildcard + hostname.replace(/\.$/, '') : null;
}

const host = readable(
  readHost,
  'Give hosts, such as example.com or *.example.com; "" is for visitors who come from nowhere.',
);

const network = z.string().refine((sent) => readNetwork(sent) !== null, {
  error: 'Give networks, such as 192.0.2.0/24 or 2001:db8::/32.',
});

const instant = readable(
  (sent) => formatIsoOrNull(parseInstant(sent)),
  'Give a date such as 2030-12-31 or 2030-12-31T18:00:00Z.',
);

const time = (what: string) =>
  z.string().refine((sent) => readTime(sent) !== null, { error: `Give ${what}, such as 09:00.` });

function isTimezone(name: string): boolean {
  if (!/^[a-z][\w+/-]*$/i.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

const hours = z
  .strictObject({
    timezone: z.string().refine(isTimezone, { error: 'Give a timezone, such as Europe/Berlin or UTC.' }),
    days: z.array(z.enum(weekdays)).min(1).max(weekdays.length).optional(),
    from: time('a time').optional(),
    to: time('a time').optional(),
  })
  .refine(({ from = '00:00', to = '24:00' }) => from !== to, {
    path: ['to'],
    error: 'These hours end when they begin. Leave both out for the whole day.',
  })
  .meta({
    description:
      'In a timezone. Without `days`: every day. Hours that end before they begin end on the next day.',
    examples: [{ timezone: 'Europe/Berlin', days: ['mo', 'fr'], from: '09:00', to: '17:00' }],
  });

const listOf = <T extends z.ZodType<string>>(value: T) => z.array(value).min(1).max(maxValues);

/** Records leave this name out, and the rule would match more visitors than meant. */
function refuseProto(sent: unknown, { addIssue }: z.RefinementCtx): unknown {
  if (typeof sent === 'object' && sent !== null && Object.hasOwn(sent, '__proto__'))
    addIssue({ code: 'custom', message: 'No rule can ask for a parameter with the name "__proto__".' });
  return sent;
}

const query = z
  .preprocess(
    refuseProto,
    z.record(text(100).min(1), z.array(text(500)).max(maxValues)).refine(
      (names) => {
        const values = Object.values(names);
        return values.length > 0 && values.flat().length + values.length <= maxValues;
      },
      { error: `Give 1 to ${maxValues} names and values, such as {"utm_source": ["mail"], "vip": []}.` },
    ),
  )
  .describe('For each parameter the allowed values. `[]`: it is present, with any value.');

/** A name from the statistics, in upper or lower case. */
function nameAmong(names: readonly string[], noun: string, examples: string) {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return readable(
    (sent) => known.get(sent.toLowerCase()) ?? null,
    `Statistics have no such ${noun}. Use the names that they show, such as ${examples}.`,
  );
}

const needsFile = 'Only if `COUNTRY_FILE` has them: otherwise 400 `CONDITION_UNAVAILABLE`.';

const region = readable(regionCode, 'Give regions by their codes (ISO 3166-2), such as DE-BY or US-CA.');

const city = text(100)
  .transform((sent) => sent.trim())
  .refine((sent) => sent !== '', { error: 'Give cities by their English names, such as Munich.' });

const conditions = {
  country: listOf(country).optional(),
  region: listOf(region).optional().describe(`Codes (ISO 3166-2), such as DE-BY. ${needsFile}`),
  city: listOf(city).optional().describe(`English names, ignoring case. ${needsFile}`),
  language: listOf(language).optional(),
  device: listOf(z.enum(devices)).optional(),
  os: listOf(nameAmong(systemNames, 'operating system', 'iOS, Android or Windows')).optional(),
  browser: listOf(
    nameAmong([...browserNames, ...appNames], 'browser', 'Safari, Chrome or Instagram'),
  ).optional(),
  query: query.optional(),
  referrer: listOf(host).optional(),
  network: listOf(network).optional(),
  from: instant.optional().describe('From this instant.'),
  to: instant.optional().describe('Until this instant.'),
  hours: hours.optional(),
  source: listOf(z.enum(sources)).optional(),
};

const when = z.strictObject({ ...conditions, not: z.strictObject(conditions).optional() }).meta({
  description:
    'All conditions must match, each with one of its values, and none of those in `not`. `{}` matches everyone. os and browser have the names used in statistics.',
  examples: [{ country: ['DE', 'AT'], device: ['mobile'], not: { language: ['en'] } }],
});

const id = z.string().regex(/^[\w-]{1,32}$/, 'An id has 1 to 32 letters, digits, - and _.');
const address = () => text(8192);

const variant = z.strictObject({
  id: id.optional(),
  destination_url: address(),
  weight: z.int().min(0).max(maxWeight).default(1),
});

const rule = z
  .strictObject({
    id: id.optional().describe('Send it back so that visitors keep their variants. Default: a new one.'),
    name: text(200).nullish(),
    when: when.default({}),
    destination_url: address().optional(),
    variants: z.array(variant).min(1).max(maxVariants).optional(),
    sticky: z
      .boolean()
      .optional()
      .describe('true, the default: a visitor sees the same variant all day. false: a random one each time.'),
  })
  .superRefine(({ destination_url, variants }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((destination_url === undefined) === (variants === undefined))
      refuse('destination_url', 'A rule leads to a destination_url or to one of its variants: send either.');
    if (variants?.length && variants.every(({ weight }) => weight === 0))
      refuse('variants', 'One of the variants needs a weight above 0.');
  });

export const linkRules = clearable(
  z.array(rule).max(maxRules),
  `Send a list of at most ${maxRules} rules, such as [{"when": {"country": ["DE"]}, "destination_url": "https://example.de"}].`,
).meta({
  description: `Other destinations, by the first rule that matches; they replace all existing rules. \`null\`, \`""\` or \`[]\` clears them.`,
  examples: [
    [
      {
        name: 'Germany, phones',
        when: { country: ['DE', 'AT'], device: ['mobile'], not: { language: ['en'] } },
        destination_url: 'https://example.de/app',
      },
      {
        name: 'Which page sells more',
        when: {},
        variants: [
          { id: 'a', destination_url: 'https://example.com/a', weight: 70 },
          { id: 'b', destination_url: 'https://example.com/b', weight: 30 },
        ],
      },
    ],
  ],
});

const answeredHours = z.object({
  timezone: z.string(),
  days: z.array(z.enum(weekdays)).readonly().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
});
const strings = z.array(z.string()).readonly().optional();
const answeredConditions = {
  country: strings,
  region: strings,
  city: strings,
  language: strings,
  device: z.array(z.enum(devices)).readonly().optional(),
  os: strings,
  browser: strings,
  query: z.record(z.string(), z.array(z.string()).readonly()).optional(),
  referrer: strings,
  network: strings,
  from: z.string().optional(),
  to: z.string().optional(),
  hours: answeredHours.optional(),
  source: z.array(z.enum(sources)).readonly().optional(),
};

/** A rule in an answer. */
export const LinkRule = component('LinkRule', {
  id: z.string(),
  name: textOrNull,
  when: z.object({ ...answeredConditions, not: z.object(answeredConditions).optional() }),
  destination_url: z.string().optional(),
  variants: z
    .array(z.object({ id: z.string(), destination_url: z.string(), weight: z.int() }))
    .readonly()
    .optional(),
  sticky: z.boolean().optional(),
});
