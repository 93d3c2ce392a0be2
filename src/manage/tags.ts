import type { Caller } from '../rules/access.ts';
import { notFound, Refusal } from '../rules/errors.ts';
import { NotUnique } from '../storage/database.ts';
import * as stored from '../storage/tags.ts';
import type { Context } from './context.ts';

export type { StoredTag } from '../storage/tags.ts';

const taken = (name: string): Refusal =>
  new Refusal('TAG_EXISTS', `There is a tag named "${name}" already. Use it, or choose another name.`, {
    field: 'name',
  });

export async function createTag(context: Context, caller: Caller, name: string): Promise<stored.StoredTag> {
  const tag = await context.database.write((queries) =>
    stored.insertTag(queries, caller.organizationId, name, context.now()),
  );
  if (!tag) throw taken(name);
  return tag;
}

export async function readTag(context: Context, caller: Caller, id: number): Promise<stored.StoredTag> {
  const tag = await stored.findTag(context.database.read, caller.organizationId, id);
  if (!tag) throw notFound('tag');
  return tag;
}

export const readTags = (context: Context, caller: Caller): Promise<stored.StoredTag[]> =>
  stored.listTags(context.database.read, caller.organizationId);

export async function renameTag(
  context: Context,
  caller: Caller,
  id: number,
  name: string,
): Promise<stored.StoredTag> {
  try {
    const tag = await context.database.write((queries) =>
      stored.renameTag(queries, caller.organizationId, id, name),
    );
    if (!tag) throw notFound('tag');
    return tag;
  } catch (cause) {
    throw cause instanceof NotUnique ? taken(name) : cause;
  }
}

export async function deleteTag(context: Context, caller: Caller, id: number): Promise<void> {
  const deleted = await context.database.write((queries) =>
    stored.deleteTag(queries, caller.organizationId, id),
  );
  if (!deleted) throw notFound('tag');
}
