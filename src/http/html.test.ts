import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { decoded } from '../../test/support/decoded.ts';
import { escapeHtml } from './html.ts';

test('any text stays the same text in a page and in a quoted attribute', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (generated) => {
      // An HTML parser itself changes these two, escaped or not.
      const text = generated.replaceAll('\r', '').replaceAll('\0', '');
      let title = '';
      let elements = 0;
      const rewriter = new HTMLRewriter().on('*', {
        element(element) {
          elements += 1;
          title = element.getAttribute('title') ?? '';
        },
      });
      await rewriter.transform(new Response(`<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`)).text();
      expect(elements).toBe(1);
      expect(decoded(title)).toBe(text.toWellFormed());
    }),
  );
});
