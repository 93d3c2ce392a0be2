import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { dialects } from '../storage/dialect.ts';
import { findOrganization } from '../storage/organizations.ts';
import type { Context } from './context.ts';
import { type LinkToCreate, linkPreparer } from './prepare-link.ts';
import type { LinkWithTags, PreparedLink } from './prepared-link.ts';
import { inParts, type OnPlaced, outcomeOf, storeLinks } from './store-links.ts';
import { TimeSlice } from './time-slice.ts';

const maxProblems = 100;

export interface BulkManner {
  readonly withPng: boolean;
  /** All of them or none. */
  readonly atomic: boolean;
  /** Hashing is slow by design: so many are taken. */
  readonly maxPasswords: number;
}

/** The links of one call: each gets ready to be stored, or is refused. */
export interface Batch {
  /** Fulfilled once that is known of all; rejected where one that is refused takes the others with it. */
  readonly links: Promise<readonly Prepared[]>;
  /**
   * Stores them in one transaction, the first of them while others still get ready, and says of each what became of it.
   * `onPlaced` is called before that: what it is given is certain once it is among what is returned.
   */
  store(onPlaced?: OnPlaced): Promise<readonly (LinkWithTags | Refusal)[]>;
}

type Prepared = PreparedLink | Refusal;
type Part = Promise<readonly Prepared[]>;

export function prepareLinks(
  context: Context,
  caller: Caller,
  inputs: readonly (LinkToCreate | Refusal)[],
  manner: BulkManner,
): Batch {
  const parts = prepareInParts(context, caller, inputs, manner);
  const links = Promise.all(parts).then((all) => {
    const prepared = all.flat();
    if (manner.atomic) refuseAll(prepared);
    return prepared;
  });
  // `store` reports the rejection.
  links.catch(() => {});
  const needsHashing = inputs.some((input) => !(input instanceof Refusal) && input.password);
  const needsOneOrder = dialects[context.database.kind].locksRows;
  return {
    links,
    async store(onPlaced) {
      // No other change waits for hashing, for what comes to nothing, or for what can't begin before all are there.
      if (manner.atomic || needsHashing || needsOneOrder) await links;
      return await storeBatch(context, parts, manner.atomic, onPlaced);
    },
  };
}

async function storeBatch(
  context: Context,
  parts: readonly Part[],
  atomic: boolean,
  onPlaced: OnPlaced | undefined,
): Promise<readonly (LinkWithTags | Refusal)[]> {
  const good = parts.map((part) =>
    part.then((links) => links.filter((link): link is PreparedLink => !(link instanceof Refusal))),
  );
  for (const part of good) part.catch(() => {});
  const stored = await context.database.write(async (queries) => {
    const outcomes = await storeLinks(context, queries, good, onPlaced);
    const all = (await Promise.all(parts))
      .flat()
      .map((link) => (link instanceof Refusal ? link : outcomeOf(outcomes, link)));
    if (atomic) refuseAll(all);
    return all;
  });
  context.linksChanged(stored.flatMap((outcome) => (outcome instanceof Refusal ? [] : [outcome.link])));
  return stored;
}

/** One part after the other, each as soon as the one before it is ready. */
function prepareInParts(
  context: Context,
  caller: Caller,
  inputs: readonly (LinkToCreate | Refusal)[],
  { withPng, maxPasswords }: BulkManner,
): Part[] {
  const prepare = linkPreparer(context, caller, withPng);
  const organization = findOrganization(context.database.lookup, caller.organizationId);
  const timeSlice = new TimeSlice();
  let passwords = 0;
  const prepareOne = async (input: LinkToCreate, marker: number): Promise<Prepared> => {
    if (input.password && ++passwords > maxPasswords) return tooManyPasswords(maxPasswords);
    try {
      return await prepare(input, marker);
    } catch (cause) {
      return asRefusal(cause);
    }
  };
  const preparePart = async (some: readonly (LinkToCreate | Refusal)[], before: Part | undefined) => {
    await before;
    const marker = (await organization)?.qr_marker ?? 0;
    const prepared: Prepared[] = [];
    for (const input of some) {
      if (timeSlice.isOver) await timeSlice.pause();
      prepared.push(input instanceof Refusal ? input : await prepareOne(input, marker));
    }
    return prepared;
  };
  const parts: Part[] = [];
  for (const some of inParts(inputs)) {
    const part = preparePart(some, parts.at(-1));
    part.catch(() => {});
    parts.push(part);
  }
  return parts;
}

const tooManyPasswords = (maxPasswords: number) =>
  new Refusal(
    'FIELD_INVALID',
    `At most ${maxPasswords} links of one call may have a password: each takes a while to hash. Send the rest in further calls.`,
    { field: 'password' },
  );

function asRefusal(cause: unknown): Refusal {
  if (cause instanceof Refusal && cause.code !== 'BUSY') return cause;
  throw cause;
}

/** One refusal for all, which names each link by its place: nothing is made. */
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
  const [first] = problems;
  if (!first) return;
  throw new Refusal(first.code, first.sentence, {
    field: first.field,
    problems: problems.slice(0, maxProblems),
  });
}
