import type { Link } from '../../api-types.ts';
import type { Input } from '../../client.ts';

/** What a copy of a link is made from: all but its suffix, its clicks, its Zap and the password, which can't be read. */
export const copyOf = (link: Link, password: string): Input<'POST /api/v1/link'>['body'] => ({
  destination_url: link.destination_url,
  domain: link.domain,
  name: link.name,
  tags: link.tags.map(({ id }) => id),
  android_link_destination: link.android_link_destination,
  ios_link_destination: link.ios_link_destination,
  og_title: link.og_title,
  og_description: link.og_description,
  og_image: link.og_image,
  expiration_date: link.expiration_date,
  qr_code_foreground_hex: link.qr_code_foreground_hex,
  qr_code_background_hex: link.qr_code_background_hex,
  qr_code_marker: link.qr_code_marker,
  bot_protection: link.bot_protection,
  captcha: link.captcha,
  webhook_url: link.webhook_url,
  webhook_auth_key: link.webhook_auth_key,
  webhook_events: link.webhook_events,
  password: password || null,
});
