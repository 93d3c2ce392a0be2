import type { Context } from '../manage/context.ts';
import { readIcon } from '../manage/destinations/page-fetcher.ts';
import { Refusal } from '../rules/errors.ts';
import { iconPath } from './link-answer.ts';

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
