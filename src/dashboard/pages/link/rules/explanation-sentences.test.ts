import { describe, expect, test } from 'bun:test';
import { readAgent } from '../../../../rules/agents/user-agent.ts';
import type { LinkExplanation } from '../../../api-types.ts';
import { instant } from '../../../format.ts';
import { outcomeInWords, stepInWords } from './explanation-sentences.ts';
import type { Rule } from './rule.ts';
import { tryAgents } from './try-agents.ts';

const rules: readonly Rule[] = [
  {
    id: 'r_1',
    name: 'Germany',
    when: { country: ['DE'], not: { language: ['en'] } },
    destination_url: 'https://a.example',
  },
  { id: 'r_2', name: null, when: {}, destination_url: 'https://b.example' },
];
const explanation = (more: Partial<LinkExplanation>): LinkExplanation => ({
  ...{
    outcome: 'redirect',
    to: 'https://a.example',
    status: 302,
    destination: 'default',
    rule: null,
    variant: null,
  },
  steps: [],
  ...more,
});

describe('an explanation as sentences', () => {
  test('shows what was compared for each condition of a rule', () => {
    const conditions = [
      { key: 'country', not: false, matched: false, saw: 'XX' },
      { key: 'language', not: true, matched: true, saw: 'de-at' },
    ];
    expect(stepInWords({ rule: 'r_1', matched: false, conditions }, rules)).toEqual({
      passed: false,
      sentence: "Rule 1, “Germany”, doesn't fit.",
      conditions: [
        { isMatched: false, phrase: 'is in Germany', visitorValue: 'an unknown country' },
        { isMatched: true, phrase: "doesn't read English", visitorValue: 'Austrian German' },
      ],
    });
    expect(stepInWords({ rule: 'r_2', matched: true, conditions: [] }, rules).sentence).toBe(
      'Rule 2 fits: it is for everybody.',
    );
    expect(stepInWords({ check: 'started', passed: false }, rules).sentence).toBe("It hasn't started yet.");
  });

  test('handles a rule that no longer exists', () => {
    const at = '2026-11-24T03:08:17.635Z';
    const dateCondition = { key: 'from', not: false, matched: false, saw: at };
    expect(
      stepInWords({ rule: 'r_1', matched: false, conditions: [dateCondition] }, rules).conditions,
    ).toMatchObject([{ visitorValue: instant(at) }]);
    const conditions = [{ key: 'country', not: false, matched: true, saw: 'DE' }];
    expect(stepInWords({ rule: 'r_gone', matched: true, conditions }, rules)).toMatchObject({
      sentence: 'Rule r_gone fits.',
      conditions: [{ phrase: 'country', visitorValue: 'Germany' }],
    });
  });

  test.each<[Partial<LinkExplanation>, string]>([
    [{ rule: 'r_1', destination: 'rule' }, 'By rule 1, “Germany”, the visitor goes to'],
    [{ rule: 'r_2', variant: 'b' }, 'By rule 2 (its destination b), the visitor goes to'],
    [{}, 'No rule fits: the visitor goes to'],
    [{ outcome: 'expired', to: null }, 'The visitor sees that the link has ended.'],
    [{ outcome: 'refused', to: null }, 'The visitor is refused as a bot.'],
  ])('%j', (more, sentence) => {
    expect(outcomeInWords(explanation(more), rules)).toBe(sentence);
  });
});

test('each user agent to try is the device and browser of its label', () => {
  const parsed = tryAgents.map(({ label, userAgent }) => {
    const { device, browser } = readAgent(userAgent);
    return [label, device, browser];
  });
  for (const [label = '', device, browser = ''] of parsed.slice(0, -1)) {
    expect([label, label.split(', ')[1]?.split(' ')[0]]).toEqual([label, expect.any(String)]);
    expect(browser).toContain(label.split(', ')[1]?.split(' ')[0] ?? '?');
    const expectedDevice = /phone/i.test(label) ? 'mobile' : /tablet/.test(label) ? 'tablet' : 'desktop';
    expect([label, device]).toEqual([label, expectedDevice]);
  }
});
