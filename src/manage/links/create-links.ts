import type { Caller } from '../../rules/access.ts';
import { invalidField, Refusal, refusalOfAll } from '../../rules/errors.ts';
import { findOrganization } from '../../storage/accounts/organizations.ts';
import { dialects } from '../../storage/dialect.ts';
import type { Caching, Context } from '../context.ts';
import { TimeSlice } from '../time-slice.ts';
import { findLinks, findOrStore } from './find-or-store.ts';
import { type LinkToCreate, linkPreparer } from './prepare-link.ts';
import type { LinkWithTags, PreparedLink } from './prepared-link.ts';
import { inParts, type OnPlaced, outcomeOf, storeLinks } from './store-links.ts';

export async function createLink(
  context: Context,
  caller: Caller,
  input: LinkToCreate,
  { withPng, findsFirst }: CreationOptions,
): Promise<LinkWithTags> {
  const prepared = await linkPreparer(context, caller, withPng)(input);
  const created = await (findsFirst ? findOrCreate(context, prepared) : context.storeLink(prepared));
  if (!created.isFound) context.linksChanged([created.link], cachingOf(prepared));
  return created;
}

/**
 * A new random suffix is in no cache, unless a visitor guessed it earlier: it is answered with the cached 404 until the next poll of
 * the change feed. A link that forwards paths also changes what is cached for its domain. Saves 6 % of a creation on PostgreSQL.
 */
const cachingOf = ({ isChosen, row }: PreparedLink): Caching =>
  isChosen || row.aliases !== null || row.forward_path === 1 ? 'may be cached' : 'not cached';

async function findOrCreate(context: Context, prepared: PreparedLink): Promise<LinkWithTags> {
  const found = await findLinks(context, context.database.lookup, [prepared]);
  return (
    found.get(prepared) ??
    context.database.write(async (queries) => {
      const outcome = outcomeOf(await findOrStore(context, queries, [prepared]), prepared);
      if (outcome instanceof Refusal) throw outcome;
      return outcome;
    })
  );
}

const maxProblems = 100;

interface CreationOptions {
  readonly withPng: boolean;
  /** Uses an existing link with the same destination instead. */
  readonly findsFirst?: boolean;
}

interface BulkOptions<Sent> extends CreationOptions {
  /** Reads what was sent, while the first links are already being stored. */
  readonly read: (sent: Sent) => LinkToCreate | Refusal;
  readonly hasPassword: (sent: Sent) => boolean;
  /** All of them or none. */
  readonly atomic: boolean;
  /** How many links may have a password: hashing is slow by design. */
  readonly maxPasswords: number;
}

type Prepared = PreparedLink | Refusal;
type Part = Promise<readonly Prepared[]>;

/**
 * Creates the links of one call in one transaction, which stores the first of them while others are still being prepared, and
 * returns the result of each. `onPlaced` is called before that: its links are certain only once they are in the result.
 */
export async function createLinks<Sent>(
  context: Context,
  caller: Caller,
  sent: readonly Sent[],
  options: BulkOptions<Sent>,
  onPlaced?: OnPlaced,
): Promise<readonly (LinkWithTags | Refusal)[]> {
  const parts = prepareInParts(context, caller, sent, options);
  const needsHashing = sent.some(options.hasPassword);
  const needsOneOrder = dialects[context.database.kind].locksRows;
  // The transaction only begins after hashing, after a possible refusal of all, and after sorting if rows are locked.
  if (options.atomic || options.findsFirst || needsHashing || needsOneOrder) {
    const prepared = (await Promise.all(parts)).flat();
    if (options.atomic) refuseAll(prepared);
  }
  return await storeBatch(context, parts, options, onPlaced);
}

async function storeBatch(
  context: Context,
  parts: readonly Part[],
  { atomic, findsFirst }: Pick<BulkOptions<never>, 'atomic' | 'findsFirst'>,
  onPlaced: OnPlaced | undefined,
): Promise<readonly (LinkWithTags | Refusal)[]> {
  const validParts = parts.map((part) =>
    part.then((links) => links.filter((link): link is PreparedLink => !(link instanceof Refusal))),
  );
  for (const part of validParts) part.catch(() => {});
  const allPrepared = Promise.all(parts);
  // `storeLinks` reports the rejection.
  allPrepared.catch(() => {});
  // The store should get the last part before this thread is busy with the results of the first.
  const onPlacedLater: OnPlaced = (some) => {
    allPrepared.then(
      () => onPlaced?.(some),
      () => {},
    );
  };
  const stored = await context.database.write(async (queries) => {
    const outcomes = findsFirst
      ? await findOrStore(context, queries, (await Promise.all(validParts)).flat(), onPlacedLater)
      : await storeLinks(context, queries, validParts, onPlacedLater);
    const all = (await allPrepared)
      .flat()
      .map((link) => (link instanceof Refusal ? link : outcomeOf(outcomes, link)));
    if (atomic) refuseAll(all);
    return all;
  });
  context.linksChanged(
    stored.flatMap((outcome) => (outcome instanceof Refusal || outcome.isFound ? [] : [outcome.link])),
  );
  return stored;
}

/** Reads and prepares one part after the other. */
function prepareInParts<Sent>(
  context: Context,
  caller: Caller,
  sent: readonly Sent[],
  { read, withPng, maxPasswords }: BulkOptions<Sent>,
): Part[] {
  const prepare = linkPreparer(context, caller, withPng);
  const organization = findOrganization(context.database.lookup, caller.organizationId);
  const timeSlice = new TimeSlice();
  let passwords = 0;
  const prepareOne = async (input: LinkToCreate | Refusal, marker: number): Promise<Prepared> => {
    if (input instanceof Refusal) return input;
    if (input.password && ++passwords > maxPasswords) return tooManyPasswords(maxPasswords);
    try {
      return await prepare(input, marker);
    } catch (cause) {
      return asRefusal(cause);
    }
  };
  const preparePart = async (some: readonly Sent[], before: Part | undefined) => {
    await before;
    const marker = (await organization)?.qr_marker ?? 0;
    const prepared: Prepared[] = [];
    for (const one of some) {
      if (timeSlice.isOver) await timeSlice.pause();
      prepared.push(await prepareOne(read(one), marker));
    }
    return prepared;
  };
  const parts: Part[] = [];
  for (const some of inParts(sent)) {
    const part = preparePart(some, parts.at(-1));
    part.catch(() => {});
    parts.push(part);
  }
  return parts;
}

const tooManyPasswords = (maxPasswords: number) =>
  invalidField(
    'password',
    `At most ${maxPasswords} links of one call may have a password: each takes a while to hash. Send the rest in further calls.`,
  );

function asRefusal(cause: unknown): Refusal {
  if (cause instanceof Refusal && cause.code !== 'BUSY') return cause;
  throw cause;
}

/** Refuses all with one refusal that names each link by its index: nothing is stored. */
function refuseAll(links: readonly (object | Refusal)[]): void {
  const problems = links.flatMap((link, index) =>
    link instanceof Refusal
      ? link.problems.map(({ code, sentence, field }) => ({
          code,
          sentence: `Link ${index + 1} of ${links.length}: ${sentence}`,
          field: field === undefined ? `links.${index}` : `links.${index}.${field}`,
        }))
      : [],
  );
  if (problems.length > 0) throw refusalOfAll(problems.slice(0, maxProblems));
}
