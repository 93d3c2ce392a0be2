import { correctionStep } from '../ledger/corrections/correction-step.ts';
import { haveOtherFirstClass } from '../ledger/corrections/first-classes.ts';
import { hasAllHits } from '../ledger/has-all-hits.ts';
import type { Caller } from '../rules/access.ts';
import { classCodes, classes } from '../rules/click-fields.ts';
import { hourLength } from '../rules/durations.ts';
import { existing, invalidField, Refusal, StoreUnavailable, TimeoutExceeded } from '../rules/errors.ts';
import { formatIso } from '../rules/instant.ts';
import type { Reclassifiable } from '../rules/reclassified.ts';
import { hourOf } from '../rules/utc-time.ts';
import {
  claimCorrection,
  findCorrection,
  hasEarlierMove,
  insertCorrection,
  isCorrectionDue,
  isFirstInLine,
  type ListedCorrection,
  listCorrections,
  type NewCorrection,
  type StoredCorrection,
  setCorrectionDue,
} from '../storage/click-corrections.ts';
import { recordOtherChange } from '../storage/marked-changes.ts';
import { knowsAllHits } from '../storage/moved-hits.ts';
import { pageOf } from '../storage/rows.ts';
import type { Context } from './context.ts';
import { readLink } from './links/read-links.ts';
import { waitForClicks } from './wait-for-clicks.ts';

export type { ListedCorrection };

/** Milliseconds after which another node may continue: a step takes far less. */
const claimLength = 5_000;
/** How long a call works on it before it leaves the rest to the background. */
const callTimeSlice = 1_500;
/** How long a call waits until the clicks answered so far are in the store. */
const foldTimeout = 5_000;
/** After how long the background begins if they are not. */
const foldPause = 60_000;
/** How long the background works on one correction before another one gets its turn. */
const backgroundTimeSlice = 1_000;
/** After a failure. */
const faultPause = 60_000;
/** Milliseconds. A step that takes longer is followed by a pause, so that other changes and the fold get their turns. */
const maxStepWithoutPause = 5;
const minPause = 25;

/** The clicks of a link, or of all links if it is null. */
interface ClickSpan {
  readonly linkId: number | null;
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly to?: number | undefined;
}

/** Erases clicks and all their counts: at once if there are few. */
export async function eraseClicks(
  context: Context,
  caller: Caller,
  span: ClickSpan,
): Promise<ListedCorrection> {
  if (span.linkId !== null) await readLink(context, caller, span.linkId);
  await refuseCutHours(context, caller, span);
  return correct(context, caller, span, { from_class: null, to_class: null, way_back_of: null });
}

export async function reclassifyClicks(
  context: Context,
  caller: Caller,
  span: ClickSpan & { readonly linkId: number },
  change: { readonly from: Reclassifiable; readonly to: Reclassifiable },
): Promise<ListedCorrection> {
  await readLink(context, caller, span.linkId);
  if (change.from === change.to)
    throw invalidField('to_class', 'The hits have this class already. Give another one.');
  const codes = { from_class: classCodes[change.from], to_class: classCodes[change.to] };
  return correct(context, caller, span, { ...codes, way_back_of: null });
}

/** Restores the class of hits that a correction moved to another class. */
export async function revertReclassification(
  context: Context,
  caller: Caller,
  linkId: number,
  id: number,
): Promise<ListedCorrection> {
  await readLink(context, caller, linkId);
  const original = await findCorrection(
    context.database.read,
    { organizationId: caller.organizationId, linkId },
    id,
  );
  if (!original || original.link_id !== linkId)
    throw invalidField('take_back', 'This link has no such correction. GET …/clicks/corrections lists them.');
  const { from_class, to_class, way_back_of } = original;
  if (way_back_of !== null)
    throw invalidField(
      'take_back',
      'This one takes back another itself. Reclassify the clicks again instead.',
    );
  if (from_class === null || to_class === null)
    throw invalidField('take_back', 'What was erased is gone, and cannot be restored.');
  const span = { linkId, from: original.from_at ?? undefined, to: original.to_at };
  const { read } = context.database;
  if ((await hasEarlierMove(read, original)) && (await haveOtherFirstClass(context.database, original)))
    throw invalidField(
      'take_back',
      `Some of these hits had been moved to "${classes[from_class]}" before, and only the first class of a hit is known. Reclassify them from "${classes[to_class]}" instead: that moves all hits of the span that have this class.`,
    );
  return correct(context, caller, span, { from_class: to_class, to_class: from_class, way_back_of: id });
}

export async function readCorrections(
  context: Context,
  caller: Caller,
  linkId: number | null,
  page: { readonly before?: number | undefined; readonly limit: number },
): Promise<{ readonly corrections: readonly ListedCorrection[]; readonly next: number | null }> {
  if (linkId !== null) await readLink(context, caller, linkId);
  const owner = { organizationId: caller.organizationId, linkId };
  const found = await listCorrections(context.database.read, owner, { ...page, limit: page.limit + 1 });
  const { rows, last } = pageOf(found, page.limit);
  return { corrections: rows, next: last?.id ?? null };
}

async function correct(
  context: Context,
  { organizationId, userId }: Caller,
  { linkId, from, to }: ClickSpan,
  change: Pick<NewCorrection, 'from_class' | 'to_class' | 'way_back_of'>,
): Promise<ListedCorrection> {
  const { database, now } = context;
  if (from !== undefined && from > now())
    throw invalidField('from', 'There are no clicks from then on yet. Give an instant in the past.');
  // A click that was answered before the call is included, even if it isn't in the store yet.
  const requestedAt = now();
  const isFolded = await waitForClicks(context, foldTimeout);
  const row = {
    ...change,
    organization_id: organizationId,
    link_id: linkId,
    user_id: userId,
    created_at: requestedAt,
    from_at: from ?? null,
    to_at: Math.min(to ?? requestedAt + 1, requestedAt + 1),
  };
  const created = await database.write(async (queries) => {
    const due_at = now() + (isFolded ? claimLength : foldPause);
    const correction = await insertCorrection(queries, { ...row, due_at });
    if (correction !== null) await recordOtherChange(queries, 'click correction', correction.id, now());
    return correction;
  });
  if (created === null)
    throw new Refusal(
      'CORRECTION_RUNNING',
      'Some of these clicks are being erased or moved to another class right now. Wait until that is done: the list of corrections shows it.',
    );
  try {
    if (isFolded) await begin(context, created);
  } catch (cause) {
    // The background continues it.
    if (!(cause instanceof TimeoutExceeded || cause instanceof StoreUnavailable)) throw cause;
  }
  return existing(findCorrection(database.lookup, { organizationId, linkId }, created.id), 'correction');
}

/** Works on it at once, or leaves it to the background if the organization has earlier ones. */
async function begin(context: Context, correction: StoredCorrection): Promise<void> {
  const { database, now } = context;
  if (await isFirstInLine(database.read, correction)) await workAt(context, correction, callTimeSlice);
  else await database.write((queries) => setCorrectionDue(queries, correction.id, now()));
}

/** Makes steps until it is finished or the time is up; then any node may continue. */
async function workAt(
  { database, now }: Pick<Context, 'database' | 'now'>,
  correction: StoredCorrection,
  timeSlice: number,
): Promise<void> {
  const began = performance.now();
  const claim = { now, length: claimLength };
  for (let at: StoredCorrection | null = correction; at !== null && at.due_at !== null; ) {
    const stepBegan = performance.now();
    if (stepBegan - began > timeSlice) {
      const { id } = at;
      await database.write((queries) => setCorrectionDue(queries, id, now()));
      return;
    }
    at = await correctionStep(database, at, claim);
    const duration = performance.now() - stepBegan;
    if (duration > maxStepWithoutPause) await Bun.sleep(Math.max(minPause, duration));
  }
}

/** Continues corrections that calls have left to the background, and those of nodes that crashed. Any node may run it. */
export async function continueCorrections(
  context: Pick<Context, 'database' | 'now'>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const { database, now } = context;
  while (!isStopped() && (await isCorrectionDue(database.read, now()))) {
    if (!(await knowsAllHits(database))) return;
    const claimed = await database.write((queries) => claimCorrection(queries, now(), now() + claimLength));
    // Another node has claimed it.
    if (claimed === undefined) return;
    try {
      await workAt(context, claimed, backgroundTimeSlice);
    } catch (cause) {
      await database.write((queries) => setCorrectionDue(queries, claimed.id, now() + faultPause));
      throw cause;
    }
  }
}

/**
 * If an hour's hits are no longer kept, only the whole hour can be erased: it is unknown which of them came before an instant.
 */
async function refuseCutHours(
  { database, now }: Context,
  { organizationId }: Caller,
  { linkId, from, to }: ClickSpan,
): Promise<void> {
  const owner =
    linkId === null
      ? ({ kind: 'organization', id: organizationId } as const)
      : ({ kind: 'link', id: linkId, organizationId } as const);
  for (const [field, at] of Object.entries({ from, to })) {
    if (at === undefined || at % hourLength === 0 || at >= now()) continue;
    const hour = hourOf(at);
    if (await hasAllHits(database, owner, hour)) continue;
    const [before, after] = [hour, hour + 1].map((whole) => formatIso(whole * hourLength));
    throw invalidField(
      field,
      `The individual clicks of that hour are no longer kept, so only all of it can be erased. Give a whole hour: ${before} or ${after}.`,
    );
  }
}
