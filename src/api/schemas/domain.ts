import { z } from 'zod';
import { ConfirmationQuery } from './link.ts';
import { stamp, text } from './parts.ts';

const DnsRecord = z
  .object({
    purpose: z.enum(['proof', 'address']).meta({
      description: '`proof`: proves that the domain is yours. `address`: leads visitors here.',
    }),
    type: z.enum(['TXT', 'CNAME', 'A', 'AAAA']),
    name: z.string().meta({ description: 'The full name of the record.' }),
    value: z.string().meta({ description: 'The required value of the record.' }),
    is_required: z.boolean().meta({ description: 'True: without it the domain is not verified.' }),
    state: z.enum(['ok', 'missing', 'wrong', 'unknown']).meta({
      description:
        'When it was last checked. `unknown`: the DNS could not be reached, or has not been checked yet.',
    }),
    seen: z.array(z.string()).meta({ description: 'The values that were found.' }),
  })
  .meta({ id: 'DnsRecord' });

const DomainCertificate = z
  .object({
    state: z.enum(['none', 'ready', 'failing']).meta({
      description:
        '`none`: it is ordered when the first visitor arrives. `failing`: the last order failed, perhaps that of a renewal.',
    }),
    valid_until: z.string().nullable().meta({ description: 'ISO 8601, UTC. Null if there is none.' }),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'What is wrong with its order, and what to do; null if nothing is.' }),
  })
  .meta({ id: 'DomainCertificate' });

export const Domain = z
  .object({
    id: z.int(),
    created_at: stamp,
    domain: z.string().meta({ description: 'In ASCII, as in the DNS.' }),
    domain_unicode: z.string().meta({
      description:
        'In its own script. A name that could be mistaken for another one stays in ASCII here too.',
    }),
    state: z.enum(['pending', 'verified', 'failing']).meta({
      description:
        '`failing`: verified, but its proof was missing when it was last checked; after 72 hours of that it is pending again.',
    }),
    verified_at: z.string().nullable().meta({ description: 'ISO 8601, UTC.' }),
    checked_at: z.string().nullable().meta({ description: 'When the DNS was last checked. ISO 8601, UTC.' }),
    links: z.int().meta({ description: 'The number of links on it.' }),
    root_url: z
      .string()
      .nullable()
      .meta({ description: 'Where `/` leads. Null: to a page that says that nothing is there.' }),
    not_found_url: z
      .string()
      .nullable()
      .meta({ description: 'Where an unknown suffix leads. Null: to the same page.' }),
    records: z.array(DnsRecord),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'What prevents it from working, as a sentence; null if nothing does.' }),
    certificate: DomainCertificate.nullable().meta({
      description: 'For HTTPS. Null while the domain is pending, and if a proxy has the certificates.',
    }),
  })
  .meta({ id: 'Domain' });

export const DomainToCreate = z.strictObject({
  domain: text(2_000).meta({
    description: 'The name of a domain or subdomain, in any script. A leading https:// is ignored.',
    examples: ['go.example.com'],
  }),
});

const fallbackUrl = (what: string) =>
  text(8192)
    .nullish()
    .meta({ description: `${what} A web address; \`null\` or \`""\` clears it.` });

export const DomainUpdate = z.strictObject({
  root_url: fallbackUrl('Where `/` of the domain leads.'),
  not_found_url: fallbackUrl('Where an unknown suffix leads.'),
});

export const DomainDeletion = ConfirmationQuery.extend({
  links: z
    .enum(['delete'], {
      error: 'Give links=delete to delete the links on the domain with it, or leave it out.',
    })
    .optional()
    .meta({
      description: '`delete`: its links are deleted with it. Without it, a domain with links is not deleted.',
    }),
});
