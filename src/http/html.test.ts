import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { escapeHtml } from './html.ts';

test('any text stays the same text in a page and in a quoted attribute', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (drawn) => {
      // An HTML parser itself changes these two, escaped or not.
      const text = drawn.replaceAll('\r', '').replaceAll('\0', '');
      let seen = '';
      let elements = 0;
      const reader = new HTMLRewriter().on('*', {
        element(element) {
          elements += 1;
          seen = element.getAttribute('title') ?? '';
        },
      });
      await reader.transform(new Response(`<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`)).text();
      expect(elements).toBe(1);
      expect(decoded(seen)).toBe(text.toWellFormed());
    }),
  );
});

/** HTMLRewriter doesn't decode attributes. */
const decoded = (written: string): string =>
  written.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
