import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { appOfSuite } from '../support/browser-suite.ts';
import { decode } from '../support/qr-picture.ts';
import { field, linkPagesOf, save } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linkPagesOf(app, dashboardsInOnePage(app));

describe('the QR code', () => {
  test('is previewed before it is saved, and shown the same afterwards', async () => {
    const { page, link, read } = await open();
    const previewedSvg = async () =>
      decodeURIComponent(
        (await page.getByAltText(`QR code of ${link.url.replace('http://', '')}`).getAttribute('src')) ?? '',
      ).replace('data:image/svg+xml,', '');
    expect(await previewedSvg()).toBe(String((await read()).qr_code_svg));
    await field(page, 'Code').fill('#AABBCC');
    await page.getByText('These colours are close').waitFor();
    await field(page, 'Code').fill('#0B5345');
    await page.getByText('These colours are close').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByText('Light on dark').waitFor();
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByRole('switch', { name: 'Count scans separately' }).click();
    const before = await previewedSvg();
    expect(await decode(Buffer.from(before))).toBe(`${link.url}?qr`);
    await save(page);
    const saved = String((await read()).qr_code_svg);
    expect(saved).toContain('#0B5345');
    expect(before).toBe(saved);
    expect(await previewedSvg()).toBe(saved);
  });

  test('is downloaded as SVG and as PNG in each size, and each can be decoded', async () => {
    const { page, link } = await open({
      suffix: 'Frühling-🦊',
      qr_code_foreground_hex: '#7A1F3D',
      qr_code_background_hex: '#FDF6E3',
    });
    const downloaded = async (click: () => Promise<void>) => {
      const download = page.waitForEvent('download');
      await click();
      const file = await download;
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const svg = await downloaded(() => page.getByRole('button', { name: 'Download SVG' }).click());
    expect(svg.name).toBe('Frühling.svg');
    expect(await decode(svg.bytes)).toBe(decodeURI(link.url));
    for (const size of [256, 512, 1024, 2048]) {
      const png = await downloaded(async () => {
        await page.getByRole('button', { name: 'Download PNG' }).click();
        await page.getByRole('button', { name: `${size} × ${size} pixels` }).click();
      });
      expect(png.name).toBe(`Frühling-${size}.png`);
      const width = png.bytes.readUInt32BE(16);
      expect([await decode(png.bytes), width]).toEqual([decodeURI(link.url), size]);
    }
    await page.getByRole('button', { name: 'QR code', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'QR code' });
    const fromDialog = await downloaded(() => dialog.getByRole('button', { name: 'Download SVG' }).click());
    expect(fromDialog.bytes.equals(svg.bytes)).toBe(true);
  });

  test('is printed on one sheet, without the page behind its dialog', async () => {
    const { page } = await open({ suffix: 'on-a-sheet' });
    await page.getByRole('button', { name: 'QR code', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'QR code' });
    await dialog.waitFor();
    const pdf = (await page.pdf()).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.emulateMedia({ media: 'print' });
    expect(await dialog.getByRole('img').isVisible()).toBe(true);
    expect(await dialog.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(false);
  });
});
