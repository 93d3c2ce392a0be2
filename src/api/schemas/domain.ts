import { z } from 'zod';
import { ConfirmationQuery } from './link.ts';
import { stamp, text } from './parts.ts';

const DnsRecord = z
  .object({
    purpose: z.enum(['proof', 'address']).meta({
      description: '`proof`: shows that the domain is yours. `address`: brings visitors here.',
    }),
    type: z.enum(['TXT', 'CNAME', 'A', 'AAAA']),
    name: z.string().meta({ description: 'The whole name that the record stands at.' }),
    value: z.string().meta({ description: 'What the record must say.' }),
    is_required: z.boolean().meta({ description: 'True: without it the domain is not verified.' }),
    state: z.enum(['ok', 'missing', 'wrong', 'unknown']).meta({
      description: 'At the last look. `unknown`: the DNS could not be asked, or was not yet.',
    }),
    seen: z.array(z.string()).meta({ description: 'What stood there.' }),
  })
  .meta({ id: 'DnsRecord' });

const DomainCertificate = z
  .object({
    state: z.enum(['none', 'ready', 'failing']).meta({
      description:
        '`none`: it is ordered when the first visitor comes. `failing`: the last order failed, perhaps that of a newer one.',
    }),
    valid_until: z.string().nullable().meta({ description: 'ISO 8601, UTC. Null where there is none.' }),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'What is wrong with its order, and what to do; null when nothing is.' }),
  })
  .meta({ id: 'DomainCertificate' });

export const Domain = z
  .object({
    id: z.int(),
    created_at: stamp,
    domain: z.string().meta({ description: 'In ASCII, as the DNS has it.' }),
    domain_unicode: z.string().meta({
      description: 'As people read it. A name that could be taken for another one stays in ASCII here too.',
    }),
    state: z.enum(['pending', 'verified', 'failing']).meta({
      description:
        '`failing`: verified, but its proof was gone at the last look; after 72 hours of that it is pending again.',
    }),
    verified_at: z.string().nullable().meta({ description: 'ISO 8601, UTC.' }),
    checked_at: z
      .string()
      .nullable()
      .meta({ description: 'When the DNS was last looked at. ISO 8601, UTC.' }),
    links: z.int().meta({ description: 'How many links there are on it.' }),
    root_url: z
      .string()
      .nullable()
      .meta({ description: 'Where `/` leads. Null: to a page that says nothing is there.' }),
    not_found_url: z
      .string()
      .nullable()
      .meta({ description: 'Where an unknown suffix leads. Null: to the same page.' }),
    records: z.array(DnsRecord),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'What is in the way, in words; null when nothing is.' }),
    certificate: DomainCertificate.nullable().meta({
      description: 'For HTTPS. Null while the domain is pending, and where a proxy has the certificates.',
    }),
  })
  .meta({ id: 'Domain' });

export const DomainToCreate = z.strictObject({
  domain: text(2_000).meta({
    description:
      'The name of a domain or sub-domain, in any script. What is pasted with https:// in front is read too.',
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
      description: '`delete`: its links are deleted with it. Without, a domain that has links stays.',
    }),
});
