import { z } from 'zod';
import { createTag, deleteTag, readTag, readTags, renameTag } from '../manage/tags.ts';
import { endpoint } from './endpoint.ts';
import { countedTagAnswer } from './link-answer.ts';
import { pathId } from './schemas/parts.ts';
import { CountedTag, TagToCreate, TagToRename } from './schemas/tag.ts';

export const create = endpoint({
  summary: 'Create a tag',
  body: TagToCreate,
  takesAnswerBack: true,
  isIdempotentByKey: true,
  statuses: { 201: 'The tag.' },
  answer: CountedTag,
  handle: ({ caller, body, answerWith }, context) =>
    answerWith(countedTagAnswer, () => createTag(context, caller, body.name)),
});

export const list = endpoint({
  summary: 'List tags',
  statuses: { 200: 'All tags of the organization, oldest first.' },
  answer: z.array(CountedTag),
  handle: async ({ caller }, context) => (await readTags(context, caller)).map(countedTagAnswer),
});

export const read = endpoint({
  summary: 'Get one tag',
  params: pathId,
  statuses: { 200: 'The tag.' },
  answer: CountedTag,
  handle: async ({ caller, params }, context) => countedTagAnswer(await readTag(context, caller, params.id)),
});

export const rename = endpoint({
  summary: 'Rename a tag',
  params: pathId,
  body: TagToRename,
  takesAnswerBack: true,
  statuses: { 200: 'The tag as it is now.' },
  answer: CountedTag,
  handle: async ({ caller, params, body }, context) =>
    countedTagAnswer(await renameTag(context, caller, params.id, body.name)),
});

export const remove = endpoint({
  summary: 'Delete a tag',
  description: 'It is removed from its links, which otherwise stay unchanged.',
  params: pathId,
  statuses: { 204: 'Deleted.' },
  handle: ({ caller, params }, context) => deleteTag(context, caller, params.id),
});
