import { beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import * as pages from '../src/visit/pages.ts';
import { appWithOwner } from './support/app-suite.ts';
import { decoded } from './support/decoded.ts';
import { visitRaw } from './support/raw-http.ts';
import { visitedLink } from './support/test-link.ts';

const longHost = `${'long-label.'.repeat(22)}example`;
const link = visitedLink('https://destination.example/', {
  ogTitle: 'T'.repeat(300),
  ogDescription: 'D'.repeat(1_000),
  ogImage: `https://images.example/${'i'.repeat(200)}.png`,
});
const challenge = { parameters: { nonce: 'f'.repeat(32), salt: 'f'.repeat(32) }, signature: 'f'.repeat(64) };

const longReferer = `https://shop.example/?${'x'.repeat(980)}`;

/** Every page, with its longest contents. A new page without an entry here fails below. */
const pageMakers: Record<keyof typeof pages, (host: string) => pages.Page> = {
  notFoundPage: (host) => pages.notFoundPage(host),
  notStartedPage: (host) => pages.notStartedPage(host, Date.UTC(2030, 8, 30), 0),
  expiredPage: (host) => pages.expiredPage(host),
  refusedPage: (host) => pages.refusedPage(host),
  slowDownPage: (host) => pages.slowDownPage(host, 60),
  unavailablePage: (host) => pages.unavailablePage(host),
  methodPage: (host) => pages.methodPage(host, 'GET, HEAD'),
  badFormPage: (host) => pages.badFormPage(host),
  passwordPage: (host) =>
    pages.passwordPage(host, longReferer, { status: 429, sentence: 'Too many. Try again.', retryAfter: 9 }),
  captchaPage: (host) =>
    pages.captchaPage(host, { challenge, referer: longReferer, pass: null, error: 'That was too old.' }),
  previewPage: (host) => pages.previewPage(host, `https://${host}/suffix`, link),
};

interface Element {
  readonly name: string;
  readonly attributes: Record<string, string>;
  text: string;
}

test.each([
  [Date.UTC(2030, 8, 30, 8), '30 September 2030, 08:00 UTC'],
  [Date.UTC(2030, 8, 30, 8, 0, 1), '30 September 2030, 08:01 UTC'],
  [Date.UTC(2030, 11, 31, 23, 59, 30), '1 January 2031, 00:00 UTC'],
])('a link that starts at %p says that it starts on %s', (startsAt, text) => {
  expect(pages.notStartedPage('example.com', startsAt, 0).html).toContain(`starts on ${text}.`);
});

/** The elements of a page as a browser's parser sees them. */
async function elementsOf(html: string): Promise<Element[]> {
  const found: Element[] = [];
  const openElements: Element[] = [];
  const rewriter = new HTMLRewriter().on('*', {
    element(tag) {
      const element = { name: tag.tagName, attributes: Object.fromEntries(tag.attributes), text: '' };
      found.push(element);
      if (['meta', 'input'].includes(tag.tagName)) return;
      openElements.push(element);
      tag.onEndTag(() => void openElements.pop());
    },
    text(chunk) {
      const inner = openElements.at(-1);
      if (inner) inner.text += chunk.text;
    },
  });
  await rewriter.transform(new Response(html)).text();
  return found;
}

test('every page is listed here', () => {
  expect(Object.keys(pageMakers).sort()).toEqual(Object.keys(pages).sort());
});

describe.each(Object.entries(pageMakers))('%s', (name, make) => {
  let page: pages.Page;
  let html: string;
  let elements: Element[];
  const named = (tag: string) => elements.filter((element) => element.name === tag);

  beforeAll(async () => {
    page = make(longHost);
    html = page.html;
    elements = await elementsOf(html);
  });

  test('is under 6 KB at its longest', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(6 * 1024);
  });

  test('is a complete page: language, charset, viewport, title, heading, and the name of the domain', () => {
    expect(html).toStartWith('<!doctype html><html lang="en"><head><meta charset="utf-8">');
    expect(named('meta').some(({ attributes }) => attributes.content?.startsWith('width=device-width'))).toBe(
      true,
    );
    expect(named('title').map(({ text }) => text.length > 3)).toEqual([true]);
    expect(named('h1')).toHaveLength(1);
    expect(named('p')[0]).toEqual({ name: 'p', attributes: { class: 'host' }, text: longHost });
  });

  test("may only load its own style, and the captcha's script", () => {
    const policy = (page.headers['content-security-policy'] ?? '').split('; ');
    const style = named('style').map(({ text }) => createHash('sha256').update(text).digest('base64'));
    expect(style).toHaveLength(1);
    const script = name === 'captchaPage' ? ["script-src 'self'"] : [];
    expect(policy).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${style[0]}'`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
      ...script,
    ]);
  });

  test('loads nothing from other hosts, and has no inline script or style', () => {
    expect(named('script').map(({ attributes }) => attributes)).toEqual(
      name === 'captchaPage' ? [{ type: 'module', src: '/_linnet/captcha.js' }] : [],
    );
    for (const { name: tag, attributes } of elements) {
      expect(['img', 'iframe', 'link', 'object', 'embed', 'base', 'video', 'audio', 'svg']).not.toContain(
        tag,
      );
      for (const attribute of Object.keys(attributes))
        expect(attribute).not.toMatch(/^on|^style$|^action$|^formaction$|^srcset$|^background$|^http-equiv$/);
      if (attributes.href !== undefined) expect(attributes.href).toStartWith('/');
    }
    expect(named('style')[0]?.text).not.toMatch(/url\(|@import|@font-face|\/\//);
  });

  test('is not cached, sniffed or indexed, and sends no referrer', () => {
    const headers = page.headers;
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    });
  });

  test('has no alarming or apologetic words', () => {
    const text = elements.map(({ text }) => text).join(' ');
    expect(text.replace(named('style')[0]?.text ?? '', '')).not.toMatch(
      /!|oops|sorry|please|error|invalid|failed/i,
    );
  });
});

test('a host is shown in its own script, and written in ASCII', async () => {
  const { html } = pages.notFoundPage('xn--bcher-kva.example');
  expect(html).toMatch(/^\p{ASCII}+$/u);
  const shown = (await elementsOf(html)).find(({ name }) => name === 'p')?.text;
  expect(decoded(shown ?? '')).toBe('bücher.example');
  const untitled = visitedLink('https://destination.example/', { ogDescription: 'Books' });
  const card = pages.previewPage('xn--bcher-kva.example', 'https://xn--bcher-kva.example/a', untitled);
  expect(card.html).toContain('<title>bücher.example</title>');
  // One that imitates another.
  expect(pages.expiredPage('xn--pple-43d.example').html).toContain('>xn--pple-43d.example<');
});

test('every text has a contrast of at least 4.5 to 1, in light and in dark', async () => {
  const html = pages.notFoundPage('h').html;
  const palettes = [...html.matchAll(/:root\{([^}]*)\}/g)].map(([, rules = '']) =>
    Object.fromEntries([...rules.matchAll(/--(\w+):(#\w+)/g)].map(([, name, colour]) => [name, colour])),
  );
  expect(palettes).toHaveLength(2);
  for (const { ground, ink, soft, accent, on } of palettes) {
    for (const [text, background] of [
      [ink, ground],
      [soft, ground],
      [accent, ground],
      [on, accent],
    ])
      expect(contrast(text ?? '', background ?? '')).toBeGreaterThanOrEqual(4.5);
  }
});

/** The contrast ratio as WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const breakouts = ['', '"', "'", '">', "'/>", '</title>', '</style>', '-->', ']]>', '</main></body>'];
const attacks = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//evil.example/x.js></sCrIpT>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  ' onfocus=alert(1) autofocus x="',
  '<style>@import url(//evil.example)</style>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<base href=//evil.example/>',
  '<a href=javascript:alert(1)>x</a>',
  '&lt;script&gt;alert(1)&lt;/script&gt;&#60;script&#62;',
];
const payloads = breakouts.flatMap((breakout) => attacks.map((attack) => `${breakout}${attack}`));

describe('scripts in the input of owners and visitors', () => {
  const { app, owner } = appWithOwner();

  /** The structure of a page: its elements, with the names of their attributes. */
  const structureOf = (elements: readonly Element[]) =>
    elements.map(({ name, attributes }) => `${name} ${Object.keys(attributes).join(' ')}`);

  test('stay text in every field of a card, and are shown unchanged', async () => {
    expect(payloads.length).toBeGreaterThan(100);
    const card = (text: string) =>
      pages.previewPage(
        text,
        `https://links.example/${text}`,
        visitedLink('https://destination.example/', { ogTitle: text, ogDescription: text, ogImage: text }),
      );
    const harmless = structureOf(await elementsOf(card('x').html));
    for (const payload of payloads) {
      const elements = await elementsOf(card(payload).html);
      expect([payload, structureOf(elements)]).toEqual([payload, harmless]);
      const values = elements.flatMap(({ attributes }) =>
        'property' in attributes ? [attributes.content ?? ''] : [],
      );
      expect(values.map(decoded)).toEqual([
        'website',
        `https://links.example/${payload}`,
        payload,
        payload,
        payload,
      ]);
      for (const tag of ['title', 'h1', 'p'])
        expect(decoded(elements.find(({ name }) => name === tag)?.text ?? '')).toBe(payload);
    }
  });

  test('stay text when sent through the API', async () => {
    const crawler = { 'user-agent': 'Twitterbot/1.0' };
    let harmless: string[] | undefined;
    for (const payload of ['x', ...payloads]) {
      const og_image = `https://images.example/${payload}`;
      const body = {
        destination_url: 'https://destination.example',
        og_title: payload,
        og_description: payload,
        og_image,
        name: payload,
      };
      const created = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
      expect([payload, created.status]).toEqual([payload, 201]);
      const card = await app.visit(new URL(created.json.url).pathname, crawler);
      harmless ??= structureOf(await elementsOf(card.text));
      expect([payload, structureOf(await elementsOf(card.text))]).toEqual([payload, harmless]);
    }
  });

  test('reach no page through the host, the path, the user agent or the form', async () => {
    const harmless = structureOf(await elementsOf((await app.visit('/x')).text));
    for (const payload of payloads) {
      const encoded = encodeURIComponent(payload);
      const headers = { 'user-agent': payload, referer: payload, cookie: `linnet_pass=${encoded}` };
      const missed = await visitRaw(app.url, { path: `/${encoded}`, headers });
      expect([payload, missed.status, structureOf(await elementsOf(missed.body))]).toEqual([
        payload,
        404,
        harmless,
      ]);
      const hosted = await visitRaw(app.url, { path: '/x', host: payload });
      expect([payload, hosted.status, hosted.headers['content-type']]).toEqual([
        payload,
        400,
        'application/json;charset=utf-8',
      ]);
      expect(hosted.body).not.toContain('<');
    }
  });
});
