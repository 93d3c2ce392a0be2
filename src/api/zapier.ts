import { credentialOf } from '../auth/authenticate.ts';
import { linkOfKey, sampleFor, subscribeZapier, unsubscribeZapier } from '../manage/webhooks/zapier-hooks.ts';
import { readClicks } from '../stats/clicks.ts';
import { endpoint } from './endpoint.ts';
import { rawSince } from './raw-since.ts';
import { pathId } from './schemas/parts.ts';
import { ZapierHook, ZapierHookToCreate, ZapierSample } from './schemas/webhook.ts';

/** As many as Zapier's editor shows. */
const maxSamples = 3;

const credential =
  'The credential is the `zapier_key` of the link, in the header `api-key` or as a bearer; no other is taken.';

export const subscribe = endpoint({
  summary: 'Subscribe a Zap to the clicks of a link',
  description: `From then on \`target_url\` receives each click as a flat object. A link has one subscription: a new one replaces the previous one. ${credential}`,
  credential: 'own',
  body: ZapierHookToCreate,
  statuses: { 201: 'The subscription.' },
  answer: ZapierHook,
  handle: ({ body, headers }, context) => subscribeZapier(context, credentialOf(headers), body.target_url),
});

export const unsubscribe = endpoint({
  summary: 'End a subscription',
  description: credential,
  credential: 'own',
  params: pathId,
  statuses: { 204: 'Ended.' },
  handle: ({ params, headers }, context) => unsubscribeZapier(context, credentialOf(headers), params.id),
});

export const unsubscribeAny = endpoint({
  summary: 'End the subscription of a link, without its id',
  description: credential,
  credential: 'own',
  statuses: { 204: 'Ended.' },
  otherErrors: ['404'],
  handle: ({ headers }, context) => unsubscribeZapier(context, credentialOf(headers), null),
});

export const sample = endpoint({
  summary: 'Clicks to build a Zap with',
  description: `The latest clicks of the link as flat objects, newest first; without any, an invented one with \`"sample": true\`. ${credential}`,
  credential: 'own',
  statuses: { 200: 'Flat objects.' },
  answer: ZapierSample,
  async handle({ headers }, context) {
    const link = await linkOfKey(context, credentialOf(headers));
    const owner = { kind: 'link', id: link.id, organizationId: link.organization_id } as const;
    const page = { limit: maxSamples, offset: 0, before: undefined };
    const { clicks } = await readClicks(
      context.database,
      { owner, class: 'click', range: {}, rawSince: rawSince(context) },
      page,
    );
    return sampleFor(context, link, clicks);
  },
});
