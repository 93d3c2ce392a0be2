import type { Caller } from '../rules/access.ts';
import { notFound, Refusal } from '../rules/errors.ts';
import { findDomain } from '../storage/domains.ts';
import { takenDomain } from './add-domain.ts';
import { checkDomain } from './check-domain.ts';
import type { Context } from './context.ts';
import { type DomainWithRecords, readDomain } from './read-domains.ts';

const minute = 60_000;

/** Looks a domain up now, because somebody asks for it. */
export async function verifyDomain(context: Context, caller: Caller, id: number): Promise<DomainWithRecords> {
  const domain = await findDomain(context.database.lookup, caller.organizationId, id);
  if (!domain) throw notFound('domain');
  await limitLooks(context, caller, id);
  const result = await checkDomain(context, domain);
  if (result === 'gone') throw notFound('domain');
  if (result === 'taken') throw takenDomain(domain.host);
  return readDomain(context, caller, id);
}

/** Each look is some questions to name servers that anybody may choose. */
async function limitLooks({ limits }: Context, { organizationId }: Caller, id: number): Promise<void> {
  try {
    await limits.reserve([
      { key: `domain|${id}`, most: 20, window: minute },
      { key: `domains|${organizationId}`, most: 120, window: minute },
    ]);
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== 'TOO_MANY_ATTEMPTS') throw cause;
    const seconds = cause.retryAfter ?? 60;
    throw new Refusal(
      'TOO_MANY_ATTEMPTS',
      `The DNS was asked often enough for now, and is asked again by itself. Try again in ${seconds} seconds.`,
      { retryAfter: seconds },
    );
  }
}
