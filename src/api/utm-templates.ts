import { z } from 'zod';
import * as templates from '../manage/utm-templates.ts';
import { formatIso } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { pathId } from './schemas/parts.ts';
import { TemplateToCreate, TemplateUpdate, UtmTemplate, UtmValues } from './schemas/utm.ts';

const answerOf = (template: templates.StoredTemplate): z.input<typeof UtmTemplate> => ({
  ...template,
  created_at: formatIso(template.created_at),
  updated_at: formatIso(template.updated_at),
});

export const create = endpoint({
  summary: 'Create a UTM template',
  description: 'UTM parameters that the organization uses together, under a name.',
  body: TemplateToCreate,
  takesAnswerBack: true,
  isIdempotentByKey: true,
  statuses: { 201: 'The template.' },
  answer: UtmTemplate,
  handle: ({ caller, body, answerWith }, context) =>
    answerWith(answerOf, () => templates.createTemplate(context, caller, body)),
});

export const list = endpoint({
  summary: 'List UTM templates',
  statuses: { 200: 'All templates of the organization, by name.' },
  answer: z.array(UtmTemplate),
  handle: async ({ caller }, context) => (await templates.readTemplates(context, caller)).map(answerOf),
});

export const read = endpoint({
  summary: 'Get one UTM template',
  params: pathId,
  statuses: { 200: 'The template.' },
  answer: UtmTemplate,
  handle: async ({ caller, params }, context) =>
    answerOf(await templates.readTemplate(context, caller, params.id)),
});

export const update = endpoint({
  summary: 'Change a UTM template',
  description: 'Links that were created with it stay unchanged.',
  params: pathId,
  body: TemplateUpdate,
  takesAnswerBack: true,
  statuses: { 200: 'The template as it is now.' },
  answer: UtmTemplate,
  handle: async ({ caller, params, body }, context) =>
    answerOf(await templates.updateTemplate(context, caller, params.id, body)),
});

export const remove = endpoint({
  summary: 'Delete a UTM template',
  description: 'Links that were created with it stay unchanged.',
  params: pathId,
  statuses: { 204: 'Deleted.' },
  handle: ({ caller, params }, context) => templates.deleteTemplate(context, caller, params.id),
});

export const values = endpoint({
  summary: 'List UTM values in use',
  description:
    'For suggestions: at most 20 values of each parameter, in templates and the newest 2,000 links.',
  statuses: { 200: 'The values of each parameter, most frequent first.' },
  answer: UtmValues,
  handle: ({ caller }, context) => templates.readUtmValues(context, caller),
});
