import type { z } from 'zod';
import { formatIso } from '../rules/instant.ts';
import type { Click as Found } from '../stats/clicks.ts';
import type { Click } from './schemas/click.ts';

/** A hit as the interface shows it: in lists, in the live stream and, in this order, in exports. */
export const clickAnswer = (click: Found): z.input<typeof Click> => ({
  id: click.id,
  link_id: click.linkId,
  clicked_at: formatIso(click.at),
  outcome: click.outcome,
  destination: click.destination,
  class: click.class,
  reason: click.reason,
  country: click.country,
  device: click.device,
  os: click.os,
  browser: click.browser,
  language: click.language,
  referrer: click.referrer,
  utm_source: click.utmSource,
  utm_medium: click.utmMedium,
  utm_campaign: click.utmCampaign,
  utm_term: click.utmTerm,
  utm_content: click.utmContent,
  source: click.source,
});
