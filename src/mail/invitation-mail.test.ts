import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { invitationMail } from './invitation-mail.ts';

const url = 'https://links.example.com/invitation/lni_token';
const mailFor = (name: string, organization: string) =>
  invitationMail({
    to: 'bob@example.com',
    inviter: { name, email: 'ada@example.com' },
    organization,
    role: 'editor',
    expiresAt: Date.UTC(2026, 11, 4, 12),
    url,
    origin: 'https://links.example.com',
  });

test('whatever the names, the subject is one line and the HTML contains only our elements', async () => {
  const someName = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('\r\nBcc: x@example.com', '<b>', '"><img src=x>', '\u2029', '\u202e', '&lt;', "'"),
  );
  let expected = '';
  await fc.assert(
    fc.asyncProperty(someName, someName, async (name, organization) => {
      const { subject, text, html } = mailFor(name, organization);
      expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      expect(text.split('\n')).toHaveLength(10);
      const elements: string[] = [];
      await new HTMLRewriter()
        .on('*', {
          element: ({ tagName, attributes }) => void elements.push(`${tagName} ${[...attributes]}`),
        })
        .transform(new Response(html))
        .text();
      const found = elements.join('\n');
      expected ||= found;
      expect(found).toBe(expected);
    }),
  );
});

test('the text is a short note', () => {
  expect(
    mailFor('Ada Lovelace', 'Engines').text,
  ).toBe(`Ada Lovelace (ada@example.com) invites you to Engines on links.example.com.

As an editor you make and change its short links.

Accept the invitation:
https://links.example.com/invitation/lni_token

The link is for bob@example.com alone and works until 4 December 2026. If you did not expect it, leave it be: nothing happens without you.

`);
});
