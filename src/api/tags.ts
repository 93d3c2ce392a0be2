import { z } from 'zod';
import { createTag, deleteTag, readTag, readTags, renameTag } from '../manage/tags.ts';
import { endpoint } from './endpoint.ts';
import { countedTagAnswer } from './link-answer.ts';
import { pathId } from './schemas/parts.ts';
import { CountedTag, TagToCreate, TagToRename, tagAnswerFields } from './schemas/tag.ts';

export const create = endpoint({
  summary: 'Create a tag',
  credential: 'required',
  body: TagToCreate,
  ignoredFields: tagAnswerFields,
  statuses: { 201: 'The tag.' },
  answer: CountedTag,
  async handle({ caller, body }, context) {
    return { status: 201, body: countedTagAnswer(await createTag(context, caller, body.name)) };
  },
});

export const list = endpoint({
  summary: 'List tags',
  credential: 'required',
  statuses: { 200: 'All tags of the organization, oldest first.' },
  answer: z.array(CountedTag),
  async handle({ caller }, context) {
    return { status: 200, body: (await readTags(context, caller)).map(countedTagAnswer) };
  },
});

export const read = endpoint({
  summary: 'Get one tag',
  credential: 'required',
  params: pathId,
  statuses: { 200: 'The tag.' },
  answer: CountedTag,
  async handle({ caller, params }, context) {
    return { status: 200, body: countedTagAnswer(await readTag(context, caller, params.id)) };
  },
});

export const rename = endpoint({
  summary: 'Rename a tag',
  credential: 'required',
  params: pathId,
  body: TagToRename,
  ignoredFields: tagAnswerFields,
  statuses: { 200: 'The tag as it is now.' },
  answer: CountedTag,
  async handle({ caller, params, body }, context) {
    return { status: 200, body: countedTagAnswer(await renameTag(context, caller, params.id, body.name)) };
  },
});

export const remove = endpoint({
  summary: 'Delete a tag',
  description: 'Links that have it lose it and stay as they are.',
  credential: 'required',
  params: pathId,
  statuses: { 204: 'Deleted.' },
  async handle({ caller, params }, context) {
    await deleteTag(context, caller, params.id);
    return { status: 204, body: undefined };
  },
});
