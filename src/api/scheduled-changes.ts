import type { z } from 'zod';
import {
  changeScheduled,
  readScheduled,
  type ScheduledChange,
  scheduleChange,
  withdrawScheduled,
} from '../manage/links/scheduled-changes.ts';
import type { Problem } from '../rules/errors.ts';
import { formatIso, formatIsoOrNull } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { ConfirmationQuery } from './schemas/link.ts';
import { linkPath, pathId } from './schemas/parts.ts';
import * as schemas from './schemas/scheduled-change.ts';

export const refusalAnswer = (problem: Problem | null): z.input<typeof schemas.refusalField> =>
  problem && {
    error_code: problem.code,
    field_key: problem.field ?? null,
    error_string: problem.sentence,
  };

const changeAnswer = (change: ScheduledChange): z.input<typeof schemas.ScheduledChange> => ({
  id: change.id,
  link_id: change.link_id,
  at: formatIso(change.at),
  changes: { ...change.changes },
  status: change.done_at === null ? 'open' : change.refusal ? 'refused' : 'applied',
  done_at: formatIsoOrNull(change.done_at),
  refusal: refusalAnswer(change.refusal),
  created_at: formatIso(change.created_at),
  updated_at: formatIso(change.updated_at),
  by: change.by,
  via: change.via,
  api_key: change.key,
});

export const list = endpoint({
  summary: 'List scheduled changes of a link',
  description:
    'Those to come, the next first; then the results of the last 50, the latest first, for 90 days.',
  params: linkPath,
  statuses: { 200: 'All of them.' },
  answer: schemas.ScheduledChanges,
  handle: async ({ caller, params }, context) => ({
    scheduled: (await readScheduled(context, caller, params.id)).map(changeAnswer),
  }),
});

export const create = endpoint({
  summary: 'Schedule a change of a link',
  description:
    'At the instant the link is changed as by a PATCH, in the name of the member who scheduled it, with an entry in its history. A change that can’t be applied then is in this list and in the history with the reason. At most 20 per link are open at a time. One that would end a link that is in print takes `confirm=true`.',
  params: linkPath,
  query: ConfirmationQuery,
  body: schemas.ChangeToSchedule,
  takesAnswerBack: true,
  isIdempotentByKey: true,
  statuses: { 201: 'The scheduled change.' },
  answer: schemas.ScheduledChange,
  handle: ({ caller, params, query, body, answerWith }, context) =>
    answerWith(changeAnswer, () => scheduleChange(context, caller, params.id, body, query.confirm)),
});

export const update = endpoint({
  summary: 'Change a scheduled change',
  description:
    'Its instant, or its changes as a whole; the caller becomes its author. A refused one is open again. For an applied one: 409 `SCHEDULED_APPLIED`. A scheduled change that was read may be sent back.',
  params: pathId,
  query: ConfirmationQuery,
  body: schemas.ScheduledUpdate,
  takesAnswerBack: true,
  statuses: { 200: 'The scheduled change as it is now.' },
  answer: schemas.ScheduledChange,
  handle: async ({ caller, params, query, body }, context) =>
    changeAnswer(await changeScheduled(context, caller, params.id, body, query.confirm)),
});

export const remove = endpoint({
  summary: 'Withdraw a scheduled change',
  description: 'A refused one is removed from the list. For an applied one: 409 `SCHEDULED_APPLIED`.',
  params: pathId,
  statuses: { 204: 'Withdrawn.' },
  handle: ({ caller, params }, context) => withdrawScheduled(context, caller, params.id),
});
