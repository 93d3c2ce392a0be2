import { needsFirstAccount } from '../manage/accounts/register-user.ts';
import { endpoint } from './endpoint.ts';
import { Setup } from './schemas/setup.ts';

export const read = endpoint({
  summary: 'Read how this instance is set up',
  description: 'What a page needs to know before signing in.',
  credential: 'none',
  statuses: { 200: 'The state of the instance.' },
  answer: Setup,
  async handle({ connection }, context) {
    const { site, config } = context;
    return {
      needs_first_account: await needsFirstAccount(context),
      may_create_here: connection.isLocal(),
      registration_open: config.registration === 'open',
      mail: context.mailer !== null,
      default_domain: site.domainUrl(null).replace(/^https?:\/\//, ''),
      origin: site.origin,
      base_url_is_set: config.baseUrl !== null || !site.isTrial,
      domains_lead_here: context.domains.hasPublicAddress,
      regions_known: context.placesKnown().regions,
      cities_known: context.placesKnown().cities,
    };
  },
});
