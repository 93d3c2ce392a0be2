import { explainLink } from '../manage/links/explain-link.ts';
import { endpoint } from './endpoint.ts';
import { LinkExplanation, VisitToExplain } from './schemas/link-explanation.ts';
import { linkPath } from './schemas/parts.ts';

export const explain = endpoint({
  summary: 'Explain where a link leads a visitor',
  description:
    'Evaluates a described visit with the same function that answers visits, and returns each step. Nothing is counted.',
  params: linkPath,
  body: VisitToExplain,
  bodyIsOptional: true,
  statuses: { 200: 'Where the visitor would be led, and why.' },
  answer: LinkExplanation,
  async handle({ caller, params, body = VisitToExplain.parse({}) }, context) {
    const { outcome, status, steps } = await explainLink(context, caller, params.id, {
      country: body.country,
      region: body.region,
      city: body.city,
      userAgent: body.user_agent,
      acceptLanguage: body.language,
      referrer: body.referrer,
      address: body.address,
      passedGates: body.passed_gates,
      url: body.url,
      at: body.at ?? context.now(),
    });
    const redirect = outcome.kind === 'redirect' ? outcome : null;
    return {
      outcome: outcome.kind,
      to: 'to' in outcome ? outcome.to : null,
      status,
      destination: redirect?.target ?? null,
      rule: redirect?.by?.rule ?? null,
      variant: redirect?.by?.variant ?? null,
      steps: steps.map((step) =>
        'rule' in step
          ? { ...step, conditions: step.conditions.map((condition) => ({ ...condition })) }
          : step,
      ),
    };
  },
});
