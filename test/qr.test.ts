import { describe, expect, test } from 'bun:test';
import { appWithOwner } from './support/app-suite.ts';
import { decode, pixelsOf } from './support/qr-picture.ts';

const { app, owner } = appWithOwner({ env: { BASE_URL: 'https://links.example.com' } });

const createLink = async (fields: object = {}) =>
  (
    await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: 'https://example.com', ...fields },
    })
  ).json;

/** The host of the public URL does not lead to this server, so only its path is used. */
const png = async (link: { qr_code_png: string }) => {
  const response = await fetch(app.url + new URL(link.qr_code_png).pathname);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

describe('QR codes', () => {
  const links: object[] = [
    {},
    { suffix: 'Frühling-🦊' },
    { suffix: 'x'.repeat(200) },
    { qr_code_foreground_hex: '#7a1f3d', qr_code_background_hex: '#FDF6E3' },
  ];
  test('in both formats decode to the URL of the link without percent-encoding', async () => {
    for (const fields of links) {
      const link = await createLink(fields);
      const text = `${link.domain}/${link.suffix}`;
      expect(decodeURI(link.url)).toBe(text);
      expect(await decode(Buffer.from(link.qr_code_svg))).toBe(text);
      expect(await decode((await png(link)).bytes)).toBe(text);
    }
  });

  test('have the requested colours, and a quiet zone in the background colour', async () => {
    const link = await createLink({ qr_code_foreground_hex: '#7a1f3d', qr_code_background_hex: '#fdf6e3' });
    expect(link).toMatchObject({ qr_code_foreground_hex: '#7a1f3d', qr_code_background_hex: '#fdf6e3' });
    for (const picture of [Buffer.from(link.qr_code_svg), (await png(link)).bytes]) {
      const { data, width } = await pixelsOf(picture);
      const colourAt = (x: number, y: number) => [
        ...data.slice((y * width + x) * 4, (y * width + x) * 4 + 3),
      ];
      const module = width / 37;
      expect(colourAt(1, 1)).toEqual([0xfd, 0xf6, 0xe3]);
      for (let x = 0; x < width; x += 7)
        expect(colourAt(x, Math.floor(module * 3))).toEqual([0xfd, 0xf6, 0xe3]);
      expect(colourAt(Math.floor(module * 4.5), Math.floor(module * 4.5))).toEqual([0x7a, 0x1f, 0x3d]);
    }
  });

  test('contain the scan marker only if the link or its organization enables it', async () => {
    const plain = await createLink();
    const marked = await createLink({ qr_code_marker: true });
    expect([plain.qr_code_marker, marked.qr_code_marker]).toEqual([false, true]);
    expect(await decode(Buffer.from(marked.qr_code_svg))).toBe(`${marked.url}?qr`);
    expect(await decode((await png(marked)).bytes)).toBe(`${marked.url}?qr`);
    await app.call('PATCH', '/api/v1/organization', { key: owner.key, body: { qr_code_marker: true } });
    const byOrganization = await createLink();
    expect(await decode((await png(byOrganization)).bytes)).toBe(`${byOrganization.url}?qr`);
    expect((await createLink({ qr_code_marker: false })).qr_code_marker).toBe(false);
    for (const qr_code_marker of [null, ''])
      expect((await createLink({ qr_code_marker })).qr_code_marker).toBe(true);
    expect(await decode((await png(plain)).bytes)).toBe(plain.url);
    await app.call('PATCH', '/api/v1/organization', { key: owner.key, body: { qr_code_marker: false } });
  });

  test('accept a low contrast but not two equal colours, in creation and in update', async () => {
    const link = await createLink({ qr_code_foreground_hex: '#FFFFFE' });
    expect(link.qr_code_foreground_hex).toBe('#FFFFFE');
    const body = { qr_code_background_hex: '#fffffe' };
    const { status, json } = await app.call('PATCH', `/api/v1/link/${link.id}`, { key: owner.key, body });
    expect([status, json.error_code]).toEqual([400, 'COLOURS_EQUAL']);
  });

  test('have an SVG of about three kilobytes for a typical URL', async () => {
    for (let count = 0; count < 10; count++)
      expect((await createLink()).qr_code_svg.length).toBeLessThan(3_100);
  });

  test('have a public, permanent PNG, and no visitor can request another one', async () => {
    const link = await createLink();
    const { response } = await png(link);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const path = new URL(link.qr_code_png).pathname;
    const forged = [
      path.replace('000000', '111111'),
      path.replace(/^\/qr\/\d+/, `/qr/${link.id - 1}`),
      '/qr/',
      '/qr/x.png',
      `${path}x`,
    ];
    for (const path of forged) {
      const refused = await app.call('GET', path);
      expect([path, refused.status, refused.json.error_code]).toEqual([path, 404, 'NOT_FOUND']);
    }
  });

  test('have a PNG whose URL stays valid when the colours change, and ends with the link', async () => {
    const link = await createLink();
    await app.call('PATCH', `/api/v1/link/${link.id}`, {
      key: owner.key,
      body: { qr_code_foreground_hex: '#333333' },
    });
    expect((await png(link)).response.status).toBe(200);
    await app.call('DELETE', `/api/v1/link/${link.id}`, { key: owner.key });
    expect((await png(link)).response.status).toBe(404);
  });
});
