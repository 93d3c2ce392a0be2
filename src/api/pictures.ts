import type { Context } from '../manage/context.ts';
import { readIcon } from '../manage/destinations/page-fetcher.ts';
import { readLinkForPicture } from '../manage/links/read-links.ts';
import { nextFreeTick } from '../manage/time-slice.ts';
import { qrPng } from '../qr/png.ts';
import { Refusal } from '../rules/errors.ts';
import { iconPath, readPngPath, scannedText } from './link-answer.ts';

const immutableHeaders = {
  'content-type': 'image/png',
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
};

/** Draws the PNG of a link's `qr_code_png`, for anyone who has the address. */
export async function qrImage(context: Context, path: string): Promise<Response> {
  const picture = readPngPath(context.secrets, path);
  const link = picture ? await readLinkForPicture(context, picture.linkId) : null;
  if (!picture || !link) {
    throw new Refusal(
      'NOT_FOUND',
      'There is no QR code at this address. The link it was for may be deleted.',
    );
  }
  await nextFreeTick();
  const text = scannedText(context.site.readableUrl(link.host, link.suffix), picture.hasMarker);
  const png = qrPng(text, picture.foreground, picture.background);
  return new Response(new Uint8Array(png), { headers: immutableHeaders });
}

/** A key can't be guessed. Browsers show the answer only as an image, never as a page. */
export async function destinationIcon(context: Context, path: string): Promise<Response> {
  const key = path.slice(iconPath.length);
  const icon = /^[\w-]{32}$/.test(key) ? await readIcon(context, key) : undefined;
  if (!icon) throw new Refusal('NOT_FOUND', 'There is no icon at this address.');
  return new Response(Buffer.from(icon.content, 'base64'), {
    headers: {
      'content-type': icon.type,
      'cache-control': 'public, max-age=86400',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
}
