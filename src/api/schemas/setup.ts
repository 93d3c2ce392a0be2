import { z } from 'zod';

export const Setup = z
  .object({
    needs_first_account: z.boolean(),
    may_create_here: z
      .boolean()
      .meta({ description: 'This call comes from the machine itself: no setup token is needed.' }),
    registration_open: z.boolean().meta({ description: 'Anyone may make an account.' }),
    mail: z
      .boolean()
      .meta({ description: 'Invitations, and links for a forgotten password, are sent by mail.' }),
    default_domain: z
      .string()
      .meta({ description: 'Of links that name no other: a host, perhaps with a port.' }),
    origin: z.string().meta({ description: 'The address people reach.' }),
    base_url_is_set: z.boolean().meta({
      description:
        'That address was set. While it is not, this machine alone reaches the service, and the first account may set it with `base_url`.',
    }),
    domains_lead_here: z.boolean().meta({
      description:
        'There is a public place where custom domains can lead: by that address, or by DOMAIN_TARGET.',
    }),
    regions_known: z.boolean().meta({
      description:
        'Rules of links can ask for regions, and statistics count by them: `COUNTRY_FILE` has them.',
    }),
    cities_known: z.boolean().meta({ description: 'The same for cities.' }),
  })
  .meta({ id: 'Setup' });
