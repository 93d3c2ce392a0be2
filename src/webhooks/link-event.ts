import { formatIso } from '../rules/instant.ts';
import type { Site } from '../rules/site.ts';
import type { LinkEvent } from '../rules/webhook-event.ts';
import type { StoredLink } from '../storage/links/links.ts';

/** The link as it is now (or was, if it is deleted), under the names of the API; never its secrets. */
export const linkEventBody = (
  event: LinkEvent,
  link: StoredLink,
  site: Site,
  at: number,
  extraFields: Readonly<Record<string, unknown>> = {},
) => ({
  event,
  payload: {
    link_id: link.id,
    domain: site.domainUrl(link.host),
    suffix: link.suffix,
    url: site.linkUrl(link.host, link.suffix),
    destination: link.destination_url,
    android_link_destination: link.android_url,
    ios_link_destination: link.ios_url,
    name: link.name,
    notes: link.notes,
    disabled: link.disabled === 1,
    archived: link.archived === 1,
    on_paper: link.on_paper === 1,
    start_date: link.start_at === null ? null : formatIso(link.start_at),
    expiration_date: link.expires_at === null ? null : formatIso(link.expires_at),
    click_limit: link.click_limit,
    ...extraFields,
    occurred_at: formatIso(at),
  },
});
