import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import {
  eraseClicks,
  type ListedCorrection,
  readCorrections,
  reclassifyClicks,
  revertReclassification,
} from '../manage/correct-clicks.ts';
import type { Caller } from '../rules/access.ts';
import { classes } from '../rules/click-fields.ts';
import { invalidField, Refusal } from '../rules/errors.ts';
import { formatIso, formatIsoOrNull } from '../rules/instant.ts';
import { clicksRange } from '../stats/range.ts';
import { Cursors } from './cursor.ts';
import { endpoint, Reply } from './endpoint.ts';
import {
  AllClicksErasureQuery,
  ClickCorrection,
  ClickCorrectionList,
  ClickErasureQuery,
  ClickReclassification,
} from './schemas/click-correction.ts';
import { HistoryPageQuery } from './schemas/page.ts';
import { linkPath } from './schemas/parts.ts';

type Answer = z.input<typeof ClickCorrection>;

const classNameOf = (code: number | null): string | null => (code === null ? null : (classes[code] ?? null));

const correctionAnswer = (correction: ListedCorrection): Answer => ({
  id: correction.id,
  created_at: formatIso(correction.created_at),
  created_by:
    correction.email === null
      ? null
      : { id: correction.user_id, name: correction.name, email: correction.email },
  kind: kindOf(correction),
  link_id: correction.link_id,
  from: formatIsoOrNull(correction.from_at),
  to: formatIso(correction.to_at),
  class: classNameOf(correction.from_class),
  to_class: classNameOf(correction.to_class),
  takes_back: correction.way_back_of,
  hits: correction.hits,
  not_kept: correction.not_kept,
  state: correction.finished_at === null ? 'running' : 'done',
  finished_at: formatIsoOrNull(correction.finished_at),
});

function kindOf({ from_class, way_back_of }: ListedCorrection): Answer['kind'] {
  if (from_class === null) return 'erase';
  return way_back_of === null ? 'reclassify' : 'take_back';
}

const replyOf = (correction: ListedCorrection) =>
  new Reply<Answer>({
    status: correction.finished_at === null ? 202 : 200,
    body: correctionAnswer(correction),
  });

const outline = {
  long: true,
  statuses: {
    200: 'Done.',
    202: 'There are many, or some are not stored yet: it continues in the background, and its entry shows the progress.',
  },
  answer: ClickCorrection,
} as const;

const erasureDescription =
  'Erases individual hits of every class, their share of all totals, and the bodies of webhook deliveries about them. Hits that are only in totals are subtracted by whole hours. This cannot be undone.';

export const eraseOfLink = endpoint({
  ...outline,
  summary: "Erase a link's clicks",
  description: erasureDescription,
  administratorsOnly: true,
  params: linkPath,
  query: ClickErasureQuery,
  handle: async ({ caller, params, query }, context) =>
    replyOf(await eraseClicks(context, caller, { linkId: params.id, ...clicksRange(query) })),
});

export const eraseOfOrganization = endpoint({
  ...outline,
  summary: 'Erase the clicks of all links',
  description: erasureDescription,
  administratorsOnly: true,
  query: AllClicksErasureQuery,
  async handle({ caller, query: { confirm, ...query } }, context) {
    if (!confirm && query.from === undefined && query.to === undefined)
      throw new Refusal(
        'FIELD_MISSING',
        'This erases every click of the organization, for good. Send confirm=true with it, or a span as "from" and "to".',
        { field: 'confirm' },
      );
    return replyOf(await eraseClicks(context, caller, { linkId: null, ...clicksRange(query) }));
  },
});

export const reclassify = endpoint({
  ...outline,
  summary: "Reclassify a link's clicks",
  description:
    'For a span: a flood becomes clicks, clicks become a flood, and so on. Their reason is then `reclassified`; back in their first class they get their first reason back.',
  params: linkPath,
  body: ClickReclassification,
  async handle({ caller, params, body }, context) {
    const { class: from, to_class: to, take_back, ...span } = body;
    if (take_back !== undefined) {
      const other = Object.entries(body).find(([name, value]) => name !== 'take_back' && value !== undefined);
      if (other)
        throw invalidField(other[0], '"take_back" needs no other fields. Leave the other fields out.');
      return replyOf(await revertReclassification(context, caller, params.id, take_back));
    }
    if (from === undefined) throw missing('class', 'Say which class the hits have now.');
    if (to === undefined) throw missing('to_class', 'Say which class the hits get.');
    const linkSpan = { linkId: params.id, ...clicksRange(span) };
    return replyOf(await reclassifyClicks(context, caller, linkSpan, { from, to }));
  },
});

const missing = (field: string, sentence: string): Refusal =>
  new Refusal('FIELD_MISSING', `"${field}" is missing. ${sentence}`, { field });

const listOutline = {
  description: 'What was erased or reclassified: by whom, when, and how many hits. Newest first.',
  query: HistoryPageQuery,
  statuses: { 200: 'A page of corrections.' },
  answer: ClickCorrectionList,
} as const;

export const ofLink = endpoint({
  ...listOutline,
  summary: "List the corrections of a link's clicks",
  params: linkPath,
  handle: ({ caller, params, query }, context) => pageOf(context, caller, params.id, query),
});

export const ofOrganization = endpoint({
  ...listOutline,
  summary: 'List the corrections of all clicks',
  handle: ({ caller, query }, context) => pageOf(context, caller, null, query),
});

async function pageOf(
  context: Context,
  caller: Caller,
  linkId: number | null,
  { limit, cursor }: z.output<typeof HistoryPageQuery>,
) {
  const cursors = new Cursors<number>(context.secrets, ['corrections', caller.organizationId, linkId]);
  const page = { limit, before: cursors.read(cursor) };
  const { corrections, next } = await readCorrections(context, caller, linkId, page);
  return { corrections: corrections.map(correctionAnswer), ...cursors.toNext(next) };
}
