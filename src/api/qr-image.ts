import type { Context } from '../manage/context.ts';
import { readLinkForPicture } from '../manage/links/read-links.ts';
import { nextFreeTick } from '../manage/time-slice.ts';
import { qrPng } from '../qr/png.ts';
import { Refusal } from '../rules/errors.ts';
import { readPngPath, scannedText } from './link-answer.ts';

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
