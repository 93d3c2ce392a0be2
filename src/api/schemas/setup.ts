import { z } from 'zod';
import { component } from './parts.ts';

export const Setup = component('Setup', {
  needs_first_account: z.boolean(),
  may_create_here: z.boolean().describe('This call comes from the machine itself: no setup token is needed.'),
  registration_open: z.boolean().describe('Anyone may create an account.'),
  mail: z.boolean().describe('Invitations, and links for a forgotten password, are sent by mail.'),
  default_domain: z.string().describe('The domain of links that name no other: a host, perhaps with a port.'),
  origin: z.string().describe('The address at which people reach it.'),
  base_url_is_set: z
    .boolean()
    .describe(
      'Whether that address was set. Until then the service is only reachable from this machine, and the first account may set it with `base_url`.',
    ),
  domains_lead_here: z
    .boolean()
    .describe('There is a public address to which custom domains can point: that address, or DOMAIN_TARGET.'),
  regions_known: z
    .boolean()
    .describe('Whether rules and statistics can use regions: `COUNTRY_FILE` has them.'),
  cities_known: z.boolean().describe('The same for cities.'),
});
