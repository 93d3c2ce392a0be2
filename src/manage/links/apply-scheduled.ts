import type { Caller, Role } from '../../rules/access.ts';
import { type Problem, Refusal, StoreUnavailable } from '../../rules/errors.ts';
import { formatIso } from '../../rules/instant.ts';
import { findMember } from '../../storage/accounts/members.ts';
import { findLink } from '../../storage/links/links.ts';
import {
  findScheduled,
  finishScheduled,
  listDue,
  type ScheduledRow,
} from '../../storage/links/scheduled-changes.ts';
import type { Queries } from '../../storage/schema.ts';
import { settleAll } from '../../storage/settle-all.ts';
import { enqueueLinkEvent, messageContext } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';
import { recordRefusal } from './record-history.ts';
import { type LinkUpdate, NotDue, updateLink } from './update-link.ts';

type Facts = Readonly<Record<string, string | number>>;

interface Report {
  /** Called for a change that can't be made any more. */
  readonly onRefused: (facts: Facts) => void;
  /** Called for a change that failed because of a fault of ours. */
  readonly onFault: (cause: unknown, facts: Facts) => void;
}

const perPage = 500;
/** Concurrent changes share commits. */
const linksAtOnce = 16;

/**
 * Applies the scheduled changes that are due. Any node may do it at any time, and several at once: a change is marked as applied
 * in the transaction that makes it, so that it is made once, and a node that crashes has claimed nothing.
 */
export async function applyScheduled(context: Context, report: Report): Promise<void> {
  let after: Pick<ScheduledRow, 'at' | 'id'> = { at: 0, id: 0 };
  while (true) {
    const due: ScheduledRow[] = await listDue(context.database.lookup, context.now(), after, perPage);
    const pending = inTurns(due, context.randomBytes(1)[0] ?? 0).values();
    const work = async () => {
      for (const changes of pending) for (const change of changes) await apply(context, change, report);
    };
    // The rest is due again in the next run. Later changes of its link must not be made before it.
    await settleAll(...Array.from({ length: Math.min(linksAtOnce, due.length) }, work));
    if (due.length < perPage) return;
    after = due.at(-1) ?? after;
  }
}

/**
 * Changes of a link stay in order, and organizations take turns. Each node starts at a link of its own (`random` is a byte), so
 * that several nodes rarely try the same change.
 */
function inTurns(due: readonly ScheduledRow[], random: number): readonly (readonly ScheduledRow[])[] {
  const links = [...Map.groupBy(due, (change) => change.link_id).values()];
  const organizations = Map.groupBy(links, ([first]) => first?.organization_id);
  const turns = [...organizations.values()].flatMap((own) => {
    const begin = Math.floor((random / 256) * own.length);
    return [...own.slice(begin), ...own.slice(0, begin)].map((changes, turn) => ({ changes, turn }));
  });
  return turns.sort((one, other) => one.turn - other.turn).map(({ changes }) => changes);
}

async function apply(context: Context, change: ScheduledRow, report: Report): Promise<void> {
  const { lookup } = context.database;
  // Another node may have applied it, and a check costs less than an update that is rolled back.
  if ((await findScheduled(lookup, change.organization_id, change.id))?.done_at !== null) return;
  const member = await findMember(lookup, change.organization_id, change.user_id);
  const caller = callerOf(change, member?.role ?? 'editor');
  try {
    if (!member) throw new Refusal('FORBIDDEN', 'Its author is no member of the organization any more.');
    await updateLink(context, caller, change.link_id, JSON.parse(change.changes) as LinkUpdate, {
      isConfirmed: change.is_confirmed === 1,
      scheduled: change,
    });
  } catch (cause) {
    if (cause instanceof NotDue) return;
    if (cause instanceof StoreUnavailable) throw cause;
    await refuse(context, caller, change, problemOf(cause), () => {
      const facts = { link: change.link_id, change: change.id };
      if (cause instanceof Refusal) report.onRefused({ ...facts, code: cause.code, reason: cause.sentence });
      else report.onFault(cause, facts);
    });
  }
}

const callerOf = (change: ScheduledRow, role: Role): Caller => ({
  userId: change.user_id,
  organizationId: change.organization_id,
  role,
  via: change.via,
  ...(change.key_id !== null && { keyId: change.key_id }),
});

function problemOf(cause: unknown): Problem {
  if (!(cause instanceof Refusal))
    return { code: 'INTERNAL', sentence: 'Something failed on our side. It was logged.' };
  const { code, sentence, field } = cause;
  return code === 'NOT_FOUND'
    ? { code, sentence: 'The link had been deleted by then.' }
    : { code, sentence, field };
}

async function refuse(
  context: Context,
  caller: Caller,
  change: ScheduledRow,
  problem: Problem,
  report: () => void,
): Promise<void> {
  const refusal = JSON.stringify(problem);
  const isOurs = await context.database.write(async (queries) => {
    if (!(await finishScheduled(queries, change, context.now(), refusal))) return false;
    await recordRefusal(context, queries, caller, change, refusal);
    await enqueueRefusal(context, queries, change, problem);
    return true;
  });
  if (!isOurs) return;
  context.webhooks.wake();
  report();
}

/** A deleted link has no webhook any more. */
async function enqueueRefusal(
  context: Context,
  queries: Queries,
  { id, organization_id, link_id, at }: ScheduledRow,
  { code, sentence, field }: Problem,
): Promise<void> {
  const link = await findLink(queries, organization_id, link_id);
  if (!link) return;
  await enqueueLinkEvent(
    queries,
    'link.scheduled_change_refused',
    link,
    messageContext(context, context.now()),
    {
      scheduled_change: {
        id,
        at: formatIso(at),
        refusal: { error_code: code, error_string: sentence, field_key: field ?? null },
      },
    },
  );
}
