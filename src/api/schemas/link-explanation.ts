import { z } from 'zod';
import { readAddress } from '../../rules/address-rules.ts';
import { parseInstant } from '../../rules/instant.ts';
import { regionCode } from '../../rules/place.ts';
import { component, intOrNull, readable, text, textOrNull } from './parts.ts';

export const VisitToExplain = z.strictObject({
  country: z
    .string()
    .regex(/^[a-z]{2}$/i, 'Give a country by two letters (ISO 3166), such as DE.')
    .transform((code) => code.toUpperCase())
    .default('XX'),
  region: readable(
    (sent) => (sent === '' ? '' : regionCode(sent)),
    'Give a region by its code (ISO 3166-2), such as DE-BY.',
  ).default(''),
  city: text(100).default('').describe('Its English name.'),
  user_agent: text(1024)
    .default('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
    .describe('Default: a browser on a desktop.'),
  language: text(256).default('').describe('In the format of the header Accept-Language.'),
  referrer: text(2048).default('').describe('The address of the page from which the visitor comes.'),
  address: z
    .string()
    .refine((sent) => readAddress(sent) !== null, {
      error: 'Give an address, such as 192.0.2.1 or 2001:db8::1.',
    })
    .default('192.0.2.1')
    .describe("The visitor's, for networks and variants. Its country is not looked up."),
  url: text(8192)
    .default('')
    .meta({
      description: "The visited address, or only the part that follows the link's own: `?utm_source=mail`.",
      examples: ['?utm_source=mail'],
    }),
  at: readable(parseInstant, 'Give a date such as 2030-12-31 or 2030-12-31T18:00:00Z.')
    .optional()
    .describe('Default: now.'),
  passed_gates: z
    .boolean()
    .default(false)
    .describe('true: the visitor knows the password and has solved the captcha.'),
});

const check = z.object({
  check: z.enum([
    'enabled',
    'started',
    'not_ended',
    'clicks_left',
    'no_bot',
    'password',
    'captcha',
    'android',
    'ios',
  ]),
  passed: z.boolean(),
});

const rule = z.object({
  rule: z.string(),
  matched: z.boolean(),
  conditions: z.array(
    z.object({
      key: z.string(),
      not: z.boolean().describe('true: a condition in `not`.'),
      matched: z.boolean(),
      saw: z.string().describe("The visitor's value that was compared."),
    }),
  ),
});

export const LinkExplanation = component('LinkExplanation', {
  outcome: z.enum([
    'redirect',
    'not_started',
    'expired',
    'preview',
    'refused',
    'ask_password',
    'ask_captcha',
  ]),
  to: textOrNull.describe('Null: a page is shown.'),
  status: intOrNull.describe('Of the redirect.'),
  destination: z.enum(['default', 'android', 'ios', 'rule']).nullable(),
  rule: textOrNull.describe('The id of the rule that decided.'),
  variant: textOrNull.describe('The id of its variant.'),
  steps: z
    .array(z.union([check, rule]))
    .describe('The checks in their order, and each rule up to the one that decided.'),
});
