import { z } from 'zod';
import { ConfirmationQuery } from './link.ts';
import { component, stamp, text, textOrNull } from './parts.ts';

const DnsRecord = component('DnsRecord', {
  purpose: z
    .enum(['proof', 'address'])
    .describe('`proof`: proves that the domain is yours. `address`: leads visitors here.'),
  type: z.enum(['TXT', 'CNAME', 'A', 'AAAA']),
  name: z.string().describe('The full name of the record.'),
  value: z.string().describe('The required value of the record.'),
  is_required: z.boolean().describe('True: without it the domain is not verified.'),
  state: z
    .enum(['ok', 'missing', 'wrong', 'unknown'])
    .describe(
      'When it was last checked. `unknown`: the DNS could not be reached, or has not been checked yet.',
    ),
  seen: z.array(z.string()).describe('The values that were found.'),
});

const DomainCertificate = component('DomainCertificate', {
  state: z
    .enum(['none', 'ready', 'failing'])
    .describe(
      '`none`: it is ordered when the first visitor arrives. `failing`: the last order failed, perhaps that of a renewal.',
    ),
  valid_until: textOrNull.describe('ISO 8601, UTC. Null if there is none.'),
  problem: textOrNull.describe('What is wrong with its order, and what to do; null if nothing is.'),
});

export const Domain = component('Domain', {
  id: z.int(),
  created_at: stamp,
  domain: z.string().describe('In ASCII, as in the DNS.'),
  domain_unicode: z
    .string()
    .describe('In its own script. A name that could be mistaken for another one stays in ASCII here too.'),
  state: z
    .enum(['pending', 'verified', 'failing'])
    .describe(
      '`failing`: verified, but its proof was missing when it was last checked; after 72 hours of that it is pending again.',
    ),
  verified_at: textOrNull.describe('ISO 8601, UTC.'),
  checked_at: textOrNull.describe('When the DNS was last checked. ISO 8601, UTC.'),
  links: z.int().describe('The number of links on it.'),
  root_url: textOrNull.describe('Where `/` leads. Null: to a page that says that nothing is there.'),
  not_found_url: textOrNull.describe('Where an unknown suffix leads. Null: to the same page.'),
  records: z.array(DnsRecord),
  problem: textOrNull.describe('What prevents it from working, as a sentence; null if nothing does.'),
  certificate: DomainCertificate.nullable().describe(
    'For HTTPS. Null while the domain is pending, and if a proxy has the certificates.',
  ),
});

export const DomainToCreate = z.strictObject({
  domain: text(2_000).meta({
    description: 'The name of a domain or subdomain, in any script. A leading https:// is ignored.',
    examples: ['go.example.com'],
  }),
});

const fallbackUrl = (what: string) =>
  text(8192).nullish().describe(`${what} A web address; \`null\` or \`""\` clears it.`);

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
    .describe('`delete`: its links are deleted with it. Without it, a domain with links is not deleted.'),
});
