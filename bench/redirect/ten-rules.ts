import type { RuleConditions } from '../../src/rules/link-rules/rule-fields.ts';

/** Rules of which the bench's visitor satisfies every condition except the last one. */
const unmatchedConditions: readonly RuleConditions[] = [
  { language: ['en'], device: ['desktop'], country: ['DE', 'AT', 'CH'] },
  { language: ['en'], os: ['Linux'], browser: ['Chrome'], country: ['EU'] },
  { query: { utm_source: ['mail'], vip: [] } },
  { source: ['link'], referrer: ['*.example.org', 'news.example.com'] },
  { device: ['desktop'], country: ['US', 'CA', 'MX'], not: { language: ['fr', 'es'] } },
  { language: ['en'], network: ['192.0.2.0/24', '2001:db8::/32'] },
  { from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z', device: ['mobile', 'tablet'] },
  {
    browser: ['Chrome'],
    os: ['Linux'],
    hours: { timezone: 'Europe/Berlin', days: ['sa'], from: '03:00', to: '03:01' },
  },
  { country: ['BR', 'PT'], language: ['pt'] },
];

/** Ten rules of which only the last one matches, and it always does: a visit evaluates all of them. */
export const tenRules = (destination: string) => [
  ...unmatchedConditions.map((when, index) => ({
    when,
    destination_url: `${destination}&rule=${index + 1}`,
  })),
  {
    when: {},
    variants: [
      { id: 'a', destination_url: `${destination}&variant=a`, weight: 60 },
      { id: 'b', destination_url: `${destination}&variant=b`, weight: 40 },
    ],
  },
];
