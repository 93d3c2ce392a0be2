import type { Caller } from '../../rules/access.ts';
import { dayLength } from '../../rules/durations.ts';
import { existing, invalidField, notFound, type Problem, Refusal } from '../../rules/errors.ts';
import { findLink, type LinkChanges, lockLink, type StoredLink } from '../../storage/links/links.ts';
import * as stored from '../../storage/links/scheduled-changes.ts';
import { recordOtherChange } from '../../storage/marked-changes.ts';
import type { Queries } from '../../storage/schema.ts';
import { type Author, withAuthors } from '../authors.ts';
import type { Context } from '../context.ts';
import { addressChange, type RequestedAddresses } from './change-address.ts';
import { checkUpdate } from './check-update.ts';
import { requireTags } from './link-tags.ts';
import { changeEndsLink, requireAddressConfirmation, requireConfirmation } from './on-paper.ts';
import { refuseEndBeforeStart, refuseEqualColours } from './prepare-link.ts';
import type { LinkUpdate } from './update-link.ts';

const maxOpen = 20;
const maxAhead = 366 * dayLength;
const doneShown = 50;
/** What a refusal calls it. */
const noun = 'scheduled change';

export interface ScheduledChange extends Author, Omit<stored.ScheduledRow, 'changes' | 'refusal' | 'untold'> {
  readonly changes: LinkUpdate;
  readonly refusal: Problem | null;
}

interface Plan {
  readonly at: number;
  readonly changes: LinkUpdate;
}

/** Open changes, next one first, followed by the results of others, latest first. */
export async function readScheduled(
  context: Context,
  { organizationId }: Caller,
  linkId: number,
): Promise<ScheduledChange[]> {
  const { lookup, read } = context.database;
  await existing(findLink(lookup, organizationId, linkId), 'link');
  const [open, done] = await Promise.all([
    stored.listOpen(read, organizationId, linkId),
    stored.listDone(read, organizationId, linkId, doneShown),
  ]);
  return withAuthors<LinkUpdate, stored.ScheduledRow>(read, organizationId, [...open, ...done]);
}

export async function scheduleChange(
  context: Context,
  caller: Caller,
  linkId: number,
  plan: Plan,
  isConfirmed: boolean,
): Promise<ScheduledChange> {
  const { organizationId } = caller;
  const found = await existing(findLink(context.database.lookup, organizationId, linkId), 'link');
  const { columns, requested } = await checkPlan(context, caller, found, plan);
  return context.database.write(async (queries) => {
    const link = await existing(lockLink(queries, organizationId, linkId), 'link');
    const others = await stored.listOpen(queries, organizationId, linkId);
    await requireApplicable(queries, link, { plan, columns, requested, others, isConfirmed });
    const now = context.now();
    const row = await stored.insertScheduled(queries, {
      ...rowOf(caller, plan, isConfirmed),
      link_id: linkId,
      organization_id: organizationId,
      created_at: now,
      updated_at: now,
    });
    await recordOtherChange(queries, 'scheduled change', row.id, now);
    return withAuthor(queries, row);
  });
}

/** Gives a change that wasn't applied another instant or other changes. A refused one is open again. */
export async function changeScheduled(
  context: Context,
  caller: Caller,
  id: number,
  update: { readonly [Name in keyof Plan]?: Plan[Name] | undefined },
  isConfirmed: boolean,
): Promise<ScheduledChange> {
  const { organizationId } = caller;
  const { lookup } = context.database;
  const found = await existing(stored.findScheduled(lookup, organizationId, id), noun);
  const currentLink = await existing(findLink(lookup, organizationId, found.link_id), noun);
  if (isApplied(found)) throw applied();
  const plan = { at: update.at ?? found.at, changes: update.changes ?? changesOf(found) };
  const { columns, requested } = await checkPlan(context, caller, currentLink, plan);
  return context.database.write(async (queries) => {
    const link = await existing(lockLink(queries, organizationId, found.link_id), noun);
    const before = await existing(stored.findScheduled(queries, organizationId, id), noun);
    if (isApplied(before)) throw applied();
    if (before.updated_at !== found.updated_at)
      throw new Refusal('LINK_CHANGED', 'This scheduled change was changed in the meantime. Read it again.');
    const open = await stored.listOpen(queries, organizationId, link.id);
    const others = open.filter((row) => row.id !== id);
    // A confirmation applies to the changes that were sent with it.
    const confirmed = isConfirmed || (update.changes === undefined && before.is_confirmed === 1);
    await requireApplicable(queries, link, { plan, columns, requested, others, isConfirmed: confirmed });
    const changes = {
      ...rowOf(caller, plan, confirmed),
      updated_at: Math.max(context.now(), before.updated_at + 1),
    };
    await stored.updateScheduled(queries, before, changes);
    await recordOtherChange(queries, 'scheduled change', id, context.now());
    return withAuthor(queries, { ...before, ...changes });
  });
}

/** Withdraws a change that wasn't applied; a refused one is removed from the list. */
export async function withdrawScheduled(
  { database, now }: Context,
  { organizationId }: Caller,
  id: number,
): Promise<void> {
  const isWithdrawn = await database.write(async (queries) => {
    const isFound = await stored.withdrawScheduled(queries, organizationId, id);
    if (isFound) await recordOtherChange(queries, 'scheduled change', id, now());
    return isFound;
  });
  if (isWithdrawn) return;
  await existing(stored.findScheduled(database.lookup, organizationId, id), noun);
  throw applied();
}

const changesOf = (row: stored.ScheduledRow): LinkUpdate => JSON.parse(row.changes) as LinkUpdate;

const isApplied = (row: stored.ScheduledRow): boolean => row.done_at !== null && row.refusal === null;

/** An open change, for which the caller is responsible from now on. */
const rowOf = ({ userId, keyId, via }: Caller, { at, changes }: Plan, isConfirmed: boolean) => ({
  at,
  changes: JSON.stringify(changes),
  is_confirmed: isConfirmed ? 1 : 0,
  user_id: userId,
  key_id: keyId ?? null,
  via,
  done_at: null,
  refusal: null,
  untold: null,
});

async function checkPlan(context: Context, caller: Caller, link: StoredLink, { at, changes }: Plan) {
  const now = context.now();
  if (at <= now) throw invalidField('at', 'Give an instant that is yet to come.');
  if (at > now + maxAhead) throw invalidField('at', 'A change is scheduled for a year ahead at most.');
  for (const field of ['password', 'webhook_auth_key'] as const)
    if (changes[field])
      throw invalidField(
        `changes.${field}`,
        `"${field}" can not be scheduled: it would have to be kept readable until then. Set it now, or send null to clear it at that time.`,
      );
  return inChanges(() => checkUpdate(context, caller, link, changes));
}

interface Applicable {
  readonly plan: Plan;
  readonly columns: LinkChanges;
  readonly requested: RequestedAddresses | null;
  /** Other open changes of the link. */
  readonly others: readonly stored.ScheduledRow[];
  readonly isConfirmed: boolean;
}

/** Refuses what could not be applied to the link. This is checked again when it is applied. */
async function requireApplicable(
  queries: Queries,
  link: StoredLink,
  { plan, columns, requested, others, isConfirmed }: Applicable,
): Promise<void> {
  if (others.length >= maxOpen)
    throw new Refusal(
      'TOO_MANY_SCHEDULED',
      `At most ${maxOpen} changes of a link are scheduled at a time. Withdraw one of them first.`,
    );
  const after = { ...link, ...columns };
  const { changes } = plan;
  if (changeEndsLink(link, after)) requireConfirmation([link], isConfirmed);
  await inChanges(async () => {
    const addresses = addressChange(link, requested);
    if (addresses) requireAddressConfirmation(link, addresses, isConfirmed);
    await requireTags(queries, link.organization_id, changes.add_tags ?? [], 'add_tags');
    // An earlier change may modify what this one is compared with, unless that is in this one too.
    const isAlone = others.every((other) => other.at > plan.at);
    const { start_date: start, expiration_date: end } = changes;
    if (isAlone || (changes.qr_code_foreground_hex && changes.qr_code_background_hex))
      refuseEqualColours(after, changes);
    if (isAlone ? start || end : start && end) refuseEndBeforeStart(after, changes);
  });
}

/** Puts refused fields under `changes`. */
async function inChanges<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.field === undefined || cause.field === 'confirm') throw cause;
    const problems = cause.problems.map(({ code, sentence, field }) => ({
      code,
      sentence,
      field: `changes.${field}`,
    }));
    throw new Refusal(cause.code, cause.sentence, { field: `changes.${cause.field}`, problems });
  }
}

const applied = (): Refusal =>
  new Refusal(
    'SCHEDULED_APPLIED',
    'This change was applied already. POST /api/v1/link/<id>/history/restore takes it back.',
  );

async function withAuthor(queries: Queries, row: stored.ScheduledRow): Promise<ScheduledChange> {
  const [change] = await withAuthors<LinkUpdate, stored.ScheduledRow>(queries, row.organization_id, [row]);
  if (!change) throw notFound(noun);
  return change;
}
