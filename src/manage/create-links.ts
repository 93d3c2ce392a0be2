import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { findOrganization } from '../storage/organizations.ts';
import type { Context } from './context.ts';
import type { LinkWithTags } from './create-link.ts';
import { type LinkToCreate, linkPreparer } from './prepare-link.ts';
import { type OnPlaced, type PreparedLink, storeLinks } from './store-links.ts';
import { Stretch } from './stretch.ts';

const mostProblems = 100;

export interface BulkManner {
  readonly withPng: boolean;
  /** All of them or none. */
  readonly atomic: boolean;
  /** Hashing is slow by design: so many are taken. */
  readonly mostPasswords: number;
}

/** What can be made of the links of one call: each is ready to be stored, or refused. */
export interface Batch {
  readonly links: readonly (PreparedLink | Refusal)[];
  /**
   * Stores them in one transaction, and says of each what became of it. `onPlaced` hears of them before that: what it
   * hears is certain once it is among what is returned.
   */
  store(onPlaced?: OnPlaced): Promise<readonly (LinkWithTags | Refusal)[]>;
}

export async function prepareLinks(
  context: Context,
  caller: Caller,
  wishes: readonly (LinkToCreate | Refusal)[],
  { withPng, atomic, mostPasswords }: BulkManner,
): Promise<Batch> {
  const links = await prepareAll(context, caller, wishes, withPng, mostPasswords);
  if (atomic) refuseAll(links);
  return { links, store: (onPlaced) => storeBatch(context, links, atomic, onPlaced) };
}

async function storeBatch(
  context: Context,
  links: readonly (PreparedLink | Refusal)[],
  atomic: boolean,
  onPlaced: OnPlaced | undefined,
): Promise<readonly (LinkWithTags | Refusal)[]> {
  const good = links.filter((link): link is PreparedLink => !(link instanceof Refusal));
  const stored = await context.database.write(async (queries) => {
    const outcomes = await storeLinks(context, queries, good, onPlaced);
    const byLink = new Map(good.map((link, index) => [link, outcomes[index]]));
    const all = links.map((link) =>
      link instanceof Refusal
        ? link
        : (byLink.get(link) ?? new Refusal('INTERNAL', 'A link came to nothing.')),
    );
    if (atomic) refuseAll(all);
    return all;
  });
  for (const outcome of stored) {
    if (!(outcome instanceof Refusal)) context.linkChanged(outcome.link.domain_id, outcome.link.suffix);
  }
  return stored;
}

async function prepareAll(
  context: Context,
  caller: Caller,
  wishes: readonly (LinkToCreate | Refusal)[],
  withPng: boolean,
  mostPasswords: number,
): Promise<(PreparedLink | Refusal)[]> {
  const prepare = linkPreparer(context, caller, withPng);
  const marker = (await findOrganization(context.database.lookup, caller.organizationId))?.qr_marker ?? 0;
  const prepareOne = async (wish: LinkToCreate) => {
    try {
      return await prepare(wish, marker);
    } catch (cause) {
      return asRefusal(cause);
    }
  };
  const prepared: (PreparedLink | Refusal)[] = [];
  const stretch = new Stretch();
  let passwords = 0;
  for (const wish of wishes) {
    if (stretch.isOver) await stretch.pause();
    if (wish instanceof Refusal) prepared.push(wish);
    else if (wish.password && ++passwords > mostPasswords) prepared.push(tooManyPasswords(mostPasswords));
    else prepared.push(await prepareOne(wish));
  }
  return prepared;
}

const tooManyPasswords = (mostPasswords: number) =>
  new Refusal(
    'FIELD_INVALID',
    `At most ${mostPasswords} links of one call may have a password: each takes a while to hash. Send the rest in further calls.`,
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
    problems: problems.slice(0, mostProblems),
  });
}
