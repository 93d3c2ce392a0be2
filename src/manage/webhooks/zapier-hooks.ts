import { linkOfZapierKey } from '../../auth/zapier-keys.ts';
import { notFound, Refusal } from '../../rules/errors.ts';
import { recordChange } from '../../storage/changes.ts';
import { findAnyLink, type StoredLink } from '../../storage/links/links.ts';
import { clearZapierHook, setZapierHook } from '../../storage/webhooks/webhook-zapier.ts';
import { zapierSample } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';
import { requireTarget } from './webhook-target.ts';

/** The link of a `zapier_key`. */
export async function linkOfKey(context: Context, key: string | null): Promise<StoredLink> {
  if (key === null) {
    throw new Refusal(
      'KEY_MISSING',
      'This call needs the zapier_key of a link: send it as "api-key: <key>".',
    );
  }
  const linkId = linkOfZapierKey(context.secrets, key);
  const link = linkId === null ? undefined : await findAnyLink(context.database.lookup, linkId);
  if (!link) throw linkId === null && key.startsWith('lnt_') ? apiKeyInstead() : wrongKey();
  return link;
}

/** Examples for building a Zap: these clicks, or a made-up one. */
export const sampleFor = (
  { site, now }: Context,
  link: StoredLink,
  clicks: Parameters<typeof zapierSample>[1],
) => zapierSample(link, clicks, site, now());

/** A link has one subscription: a new one replaces the previous one. */
export async function subscribeZapier(
  context: Context,
  key: string | null,
  target: string,
): Promise<{ readonly id: number; readonly target_url: string }> {
  const link = await linkOfKey(context, key);
  const target_url = requireTarget(context, target, 'target_url');
  const id = await context.database.write(async (queries) => {
    const hookId = await setZapierHook(queries, link.id, target_url);
    if (hookId !== null) await recordChange(queries, link, context.now());
    return hookId;
  });
  if (id === null) throw wrongKey();
  return { id, target_url };
}

/** Without a number: any subscription. */
export async function unsubscribeZapier(
  context: Context,
  key: string | null,
  hookId: number | null,
): Promise<void> {
  const link = await linkOfKey(context, key);
  const isCleared = await context.database.write(async (queries) => {
    const hook = hookId === null ? {} : { zapier_hook_id: hookId };
    const cleared = await clearZapierHook(queries, link.id, hook);
    if (cleared) await recordChange(queries, link, context.now());
    return cleared;
  });
  if (!isCleared) throw notFound('hook');
}

const apiKeyInstead = (): Refusal =>
  new Refusal(
    'KEY_INVALID',
    'This is an API key. This call takes the zapier_key of a link, which GET /api/v1/link/<id> answers.',
  );

const wrongKey = (): Refusal =>
  new Refusal('KEY_INVALID', 'This zapier_key is wrong, or its link is gone. Copy it anew from the link.');
