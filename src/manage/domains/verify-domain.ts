import type { Limit } from '../../auth/rate-limit.ts';
import type { Caller } from '../../rules/access.ts';
import { minuteLength } from '../../rules/durations.ts';
import { existing, notFound } from '../../rules/errors.ts';
import { findDomain } from '../../storage/domains.ts';
import type { Context } from '../context.ts';
import { takenDomain } from './add-domain.ts';
import { checkDomain } from './check-domain.ts';
import { type DomainWithRecords, readDomain } from './read-domains.ts';

export async function verifyDomain(context: Context, caller: Caller, id: number): Promise<DomainWithRecords> {
  const domain = await existing(findDomain(context.database.lookup, caller.organizationId, id), 'domain');
  await context.limits.reserve(
    limits(id, caller.organizationId),
    'The DNS was queried often enough for now. Linnet tries again by itself.',
  );
  const result = await checkDomain(context, domain);
  if (result === 'gone') throw notFound('domain');
  if (result === 'taken') throw takenDomain(domain.host);
  return readDomain(context, caller, id);
}

/** Each check sends queries to name servers that the caller chooses. */
const limits = (id: number, organizationId: number): readonly Limit[] => [
  { key: `domain|${id}`, max: 20, window: minuteLength },
  { key: `domains|${organizationId}`, max: 120, window: minuteLength },
];
