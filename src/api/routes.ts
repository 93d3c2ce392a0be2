import * as apiKeys from './api-keys.ts';
import * as clickCorrections from './click-corrections.ts';
import * as clicks from './clicks.ts';
import * as deletedLinks from './deleted-links.ts';
import * as domains from './domains.ts';
import type { Endpoint } from './endpoint.ts';
import * as instance from './instance.ts';
import * as invitations from './invitations.ts';
import * as linkBulk from './link-bulk.ts';
import * as linkExplanation from './link-explanation.ts';
import * as linkExport from './link-export.ts';
import * as linkExternal from './link-external.ts';
import * as linkHistory from './link-history.ts';
import * as links from './links.ts';
import * as liveClicks from './live-clicks.ts';
import * as members from './members.ts';
import * as notFound from './not-found.ts';
import * as organization from './organization.ts';
import * as passwordResets from './password-resets.ts';
import * as receivedInvitations from './received-invitations.ts';
import * as scheduledChanges from './scheduled-changes.ts';
import * as session from './session.ts';
import * as setup from './setup.ts';
import * as stats from './stats.ts';
import * as tags from './tags.ts';
import * as tokens from './tokens.ts';
import * as users from './users.ts';
import * as utmTemplates from './utm-templates.ts';
import * as webhooks from './webhooks.ts';
import * as zapier from './zapier.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly endpoint: Endpoint;
}

const route = (method: Route['method'], path: string, endpoint: Endpoint): Route => ({
  method,
  path,
  endpoint,
});

export const routes: readonly Route[] = [
  route('POST', '/api/v1/user', users.createOrRead),
  route('GET', '/api/v1/user', users.read),
  route('PATCH', '/api/v1/user', users.update),
  route('DELETE', '/api/v1/user', users.remove),
  route('POST', '/api/v1/user/password', users.password),
  route('POST', '/api/v1/user/forgot_password', passwordResets.request),
  route('POST', '/api/v1/user/reset_password', passwordResets.reset),
  route('POST', '/api/v1/user/sign_out_everywhere', users.signOutAll),

  route('GET', '/api/v1/user/invitations', receivedInvitations.list),
  route('POST', '/api/v1/user/invitations/{id}/accept', receivedInvitations.accept),
  route('POST', '/api/v1/user/invitations/{id}/decline', receivedInvitations.decline),

  route('GET', '/api/v1/setup', setup.read),
  route('POST', '/api/v1/session', session.create),
  route('GET', '/api/v1/session', session.list),
  route('DELETE', '/api/v1/session', session.remove),
  route('DELETE', '/api/v1/session/{id}', session.end),

  route('POST', '/api/v1/auth/create_tokens', tokens.create),
  route('GET', '/api/v1/auth/refresh_access_token', tokens.refresh),

  route('POST', '/api/v1/api_key', apiKeys.create),
  route('GET', '/api/v1/api_key', apiKeys.list),
  route('DELETE', '/api/v1/api_key/{id}', apiKeys.remove),

  route('POST', '/api/v1/link', links.create),
  route('GET', '/api/v1/link', links.list),
  route('GET', '/api/v1/link.csv', linkExport.all),
  route('POST', '/api/v1/link/bulk', linkBulk.create),
  route('PATCH', '/api/v1/link/bulk', linkBulk.update),
  route('POST', '/api/v1/link/bulk_delete', linkBulk.remove),
  route('POST', '/api/v1/link/restore', linkBulk.restore),
  route('GET', '/api/v1/link/deleted', deletedLinks.list),
  route('DELETE', '/api/v1/link/deleted', deletedLinks.empty),
  route('DELETE', '/api/v1/link/deleted/{id}', deletedLinks.removeForGood),
  route('GET', '/api/v1/link/external/{external_id}', linkExternal.read),
  route('PUT', '/api/v1/link/external/{external_id}', linkExternal.put),
  route('GET', '/api/v1/link/{id}', links.read),
  route('PATCH', '/api/v1/link/{id}', links.update),
  route('DELETE', '/api/v1/link/{id}', links.remove),

  route('POST', '/api/v1/link/{id}/explain', linkExplanation.explain),
  route('GET', '/api/v1/link/{id}/history', linkHistory.list),
  route('POST', '/api/v1/link/{id}/history/restore', linkHistory.restore),
  route('POST', '/api/v1/link/{id}/scheduled', scheduledChanges.create),
  route('GET', '/api/v1/link/{id}/scheduled', scheduledChanges.list),
  route('PATCH', '/api/v1/scheduled_change/{id}', scheduledChanges.update),
  route('DELETE', '/api/v1/scheduled_change/{id}', scheduledChanges.remove),

  route('GET', '/api/v1/stats', stats.ofOrganization),
  route('GET', '/api/v1/link/{id}/stats', stats.ofLink),
  route('GET', '/api/v1/not_found', notFound.list),
  route('GET', '/api/v1/clicks', clicks.ofOrganization),
  route('GET', '/api/v1/clicks/live', liveClicks.stream),
  route('GET', '/api/v1/link/{id}/clicks', clicks.ofLink),
  route('DELETE', '/api/v1/clicks', clickCorrections.eraseOfOrganization),
  route('DELETE', '/api/v1/link/{id}/clicks', clickCorrections.eraseOfLink),
  route('PATCH', '/api/v1/link/{id}/clicks/reclassify', clickCorrections.reclassify),
  route('GET', '/api/v1/clicks/corrections', clickCorrections.ofOrganization),
  route('GET', '/api/v1/link/{id}/clicks/corrections', clickCorrections.ofLink),
  route('GET', '/api/v1/clicks.csv', clicks.exportOfOrganization),
  route('GET', '/api/v1/link/{id}/clicks.csv', clicks.exportOfLink),

  route('GET', '/api/v1/link/{id}/webhook_deliveries', webhooks.list),
  route('POST', '/api/v1/link/{id}/webhook_test', webhooks.test),
  route('POST', '/api/v1/webhook_delivery/{id}/redeliver', webhooks.redeliver),
  route('POST', '/api/v1/webhook_delivery/redeliver', webhooks.redeliverFailed),
  route('GET', '/api/v1/webhook_outages', webhooks.outages),

  route('POST', '/api/v1/zapier/hooks', zapier.subscribe),
  route('DELETE', '/api/v1/zapier/hooks', zapier.unsubscribeAny),
  route('DELETE', '/api/v1/zapier/hooks/{id}', zapier.unsubscribe),
  route('GET', '/api/v1/zapier/sample', zapier.sample),

  route('POST', '/api/v1/tag', tags.create),
  route('GET', '/api/v1/tag', tags.list),
  route('GET', '/api/v1/tag/{id}', tags.read),
  route('PATCH', '/api/v1/tag/{id}', tags.rename),
  route('DELETE', '/api/v1/tag/{id}', tags.remove),

  route('POST', '/api/v1/utm_template', utmTemplates.create),
  route('GET', '/api/v1/utm_template', utmTemplates.list),
  route('GET', '/api/v1/utm_template/{id}', utmTemplates.read),
  route('PATCH', '/api/v1/utm_template/{id}', utmTemplates.update),
  route('DELETE', '/api/v1/utm_template/{id}', utmTemplates.remove),
  route('GET', '/api/v1/utm_values', utmTemplates.values),

  route('POST', '/api/v1/domain', domains.create),
  route('GET', '/api/v1/domain', domains.list),
  route('GET', '/api/v1/domain/{id}', domains.read),
  route('PATCH', '/api/v1/domain/{id}', domains.update),
  route('DELETE', '/api/v1/domain/{id}', domains.remove),
  route('POST', '/api/v1/domain/{id}/verify', domains.verify),

  route('GET', '/api/v1/organization', organization.read),
  route('PATCH', '/api/v1/organization', organization.update),
  route('GET', '/api/v1/instance/health', instance.health),
  route('GET', '/api/v1/instance/node', instance.nodes),

  route('GET', '/api/v1/member', members.list),
  route('PATCH', '/api/v1/member/{id}', members.update),
  route('DELETE', '/api/v1/member/{id}', members.remove),

  route('POST', '/api/v1/invitation/preview', receivedInvitations.preview),
  route('POST', '/api/v1/invitation/accept', receivedInvitations.acceptLink),
  route('POST', '/api/v1/invitation', invitations.create),
  route('GET', '/api/v1/invitation', invitations.list),
  route('DELETE', '/api/v1/invitation/{id}', invitations.remove),
];
