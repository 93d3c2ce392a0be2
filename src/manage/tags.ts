import type { Caller } from '../rules/access.ts';
import { existing, notFound, Refusal } from '../rules/errors.ts';
import { NotUnique } from '../storage/database.ts';
import { recordOtherChange } from '../storage/marked-changes.ts';
import { tagCount, tagCounts } from '../storage/tag-counts.ts';
import * as stored from '../storage/tags.ts';
import type { Context } from './context.ts';

export type { StoredTag } from '../storage/tags.ts';

export interface CountedTag extends stored.StoredTag {
  /** How many links have it. */
  readonly links: number;
}

/** A list has all of them. */
const maxTags = 10_000;

const taken = (name: string): Refusal =>
  new Refusal('TAG_EXISTS', `There is a tag named "${name}" already. Use it, or choose another name.`, {
    field: 'name',
  });

export async function createTag(context: Context, caller: Caller, name: string): Promise<CountedTag> {
  const created = await context.database.write(async (queries) => {
    const tag = await stored.insertTag(queries, caller.organizationId, name, context.now());
    if (tag && (await stored.hasMoreTags(queries, caller.organizationId, maxTags)))
      throw new Refusal(
        'TOO_MANY_TAGS',
        `An organization has at most ${maxTags.toLocaleString('en-US')} tags. Delete one first.`,
        { field: 'name' },
      );
    if (tag) await recordOtherChange(queries, 'tag', tag.id, context.now());
    return tag && { ...tag, links: 0 };
  });
  if (!created) throw taken(name);
  return created;
}

export async function readTag(context: Context, caller: Caller, id: number): Promise<CountedTag> {
  const { read } = context.database;
  const [tag, links] = await Promise.all([
    stored.findTag(read, caller.organizationId, id),
    tagCount(read, id),
  ]);
  if (!tag) throw notFound('tag');
  return { ...tag, links };
}

export async function readTags(context: Context, caller: Caller): Promise<CountedTag[]> {
  const { read } = context.database;
  const [tags, counts] = await Promise.all([
    stored.listTags(read, caller.organizationId),
    tagCounts(read, caller.organizationId),
  ]);
  return tags.map((tag) => ({ ...tag, links: counts.get(tag.id) ?? 0 }));
}

export async function renameTag(
  context: Context,
  caller: Caller,
  id: number,
  name: string,
): Promise<CountedTag> {
  try {
    return await context.database.write(async (queries) => {
      const tag = await existing(stored.renameTag(queries, caller.organizationId, id, name), 'tag');
      await recordOtherChange(queries, 'tag', id, context.now());
      return { ...tag, links: await tagCount(queries, id) };
    });
  } catch (cause) {
    throw cause instanceof NotUnique ? taken(name) : cause;
  }
}

export async function deleteTag(context: Context, caller: Caller, id: number): Promise<void> {
  await context.database.write(async (queries) => {
    if (!(await stored.deleteTag(queries, caller.organizationId, id))) throw notFound('tag');
    await recordOtherChange(queries, 'tag', id, context.now());
  });
}

/** Those of these tags that no link has. */
export async function deleteUnusedTags(
  context: Context,
  caller: Caller,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await context.database.write(async (queries) => {
    for (const id of ids) {
      if ((await tagCount(queries, id)) > 0) continue;
      if (await stored.deleteTag(queries, caller.organizationId, id))
        await recordOtherChange(queries, 'tag', id, context.now());
    }
  });
}
