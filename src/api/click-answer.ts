import type { z } from 'zod';
import { eachField } from '../rules/click-fields.ts';
import { formatIso } from '../rules/instant.ts';
import { variantIdOf } from '../rules/link-rules/matched-rule.ts';
import { cityNameOf } from '../rules/place.ts';
import type { StoredClick } from '../stats/clicks.ts';
import { type Click, fieldsAfterDevice } from './schemas/click.ts';

/** A hit in the API's form: in lists, in the live stream and, in this order, in exports. */
export const clickAnswer = (click: StoredClick): z.input<typeof Click> => ({
  id: click.id,
  link_id: click.linkId,
  clicked_at: formatIso(click.at),
  outcome: click.outcome,
  destination: click.target,
  class: click.class,
  reason: click.reason,
  country: click.country || null,
  device: click.device,
  ...eachField(fieldsAfterDevice, (field) => click[field] || null),
  source: click.source,
  rule: click.rule || null,
  variant: variantIdOf(click.variant) || null,
  region: click.region || null,
  city: cityNameOf(click.city) || null,
  address: click.alias || null,
});
