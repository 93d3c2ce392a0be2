import { z } from 'zod';
import { addDomain } from '../manage/domains/add-domain.ts';
import { deleteDomain } from '../manage/domains/delete-domain.ts';
import { type DomainWithRecords, readDomain, readDomains } from '../manage/domains/read-domains.ts';
import { updateDomain } from '../manage/domains/update-domain.ts';
import { verifyDomain } from '../manage/domains/verify-domain.ts';
import { displayDomain } from '../rules/domains/domain-unicode.ts';
import { formatIsoOrNull, formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { Domain, DomainDeletion, DomainToCreate, DomainUpdate } from './schemas/domain.ts';
import { pathId } from './schemas/parts.ts';

const domainAnswer = ({
  domain,
  state,
  records,
  problem,
  certificate,
}: DomainWithRecords): z.input<typeof Domain> => ({
  id: domain.id,
  created_at: formatStamp(domain.created_at),
  domain: domain.host,
  domain_unicode: displayDomain(domain.host),
  state,
  verified_at: formatIsoOrNull(domain.verified_at),
  checked_at: formatIsoOrNull(domain.checked_at),
  links: domain.links,
  root_url: domain.root_url,
  not_found_url: domain.not_found_url,
  records: records.map((record) => ({ ...record, seen: [...record.seen] })),
  problem,
  certificate: certificate && {
    state: certificate.state,
    valid_until: formatIsoOrNull(certificate.validUntil),
    problem: certificate.problem,
  },
});

export const create = endpoint({
  summary: 'Add a custom domain',
  description:
    'The response says which DNS records to set. They are checked automatically: often at first, then less and less.',
  body: DomainToCreate,
  isIdempotentByKey: true,
  statuses: { 201: 'The domain, pending.' },
  answer: Domain,
  handle: async ({ caller, body }, context) => domainAnswer(await addDomain(context, caller, body.domain)),
});

export const list = endpoint({
  summary: 'List custom domains',
  description: 'With their state in the DNS when it was last checked.',
  statuses: { 200: 'All domains of the organization, oldest first.' },
  answer: z.array(Domain),
  handle: async ({ caller }, context) => (await readDomains(context, caller)).map(domainAnswer),
});

export const read = endpoint({
  summary: 'Get one custom domain',
  params: pathId,
  statuses: { 200: 'The domain.' },
  answer: Domain,
  handle: async ({ caller, params }, context) => domainAnswer(await readDomain(context, caller, params.id)),
});

export const update = endpoint({
  summary: 'Change where a custom domain redirects visitors without a link',
  description: 'Only sent fields change. A Domain from a response may be sent back.',
  params: pathId,
  body: DomainUpdate,
  takesAnswerBack: true,
  statuses: { 200: 'The domain as it is now.' },
  answer: Domain,
  handle: async ({ caller, params, body }, context) =>
    domainAnswer(await updateDomain(context, caller, params.id, body)),
});

export const verify = endpoint({
  summary: 'Check a custom domain now',
  description:
    'Queries the DNS and returns the result: the domain is verified if its TXT record is there. At most 20 times a minute.',
  params: pathId,
  long: true,
  statuses: { 200: 'The domain as it is now: see `state`, `records` and `problem`.' },
  otherErrors: ['429'],
  answer: Domain,
  async handle({ caller, params, connection }, context) {
    // Name servers may take longer to answer than a connection may be silent.
    connection.keepOpen();
    return domainAnswer(await verifyDomain(context, caller, params.id));
  },
});

export const remove = endpoint({
  summary: 'Delete a custom domain',
  description: 'Its links would stop working: if there are any, it is refused unless `links=delete` is sent.',
  params: pathId,
  query: DomainDeletion,
  statuses: { 204: 'Deleted.' },
  handle: ({ caller, params, query }, context) =>
    deleteDomain(context, caller, params.id, {
      withLinks: query.links === 'delete',
      isConfirmed: query.confirm,
    }),
});
