import * as apiKeys from './api-keys.ts';
import type { Endpoint } from './endpoint.ts';
import * as invitations from './invitations.ts';
import * as links from './links.ts';
import * as tags from './tags.ts';
import * as tokens from './tokens.ts';
import * as users from './users.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly endpoint: Endpoint;
}

const route = (method: Route['method'], path: string, endpoint: Endpoint): Route => ({
  method,
  path,
  endpoint,
});

/** The whole API. */
export const routes: readonly Route[] = [
  route('POST', '/api/v1/user', users.createOrRead),
  route('GET', '/api/v1/user', users.read),

  route('POST', '/api/v1/auth/create_tokens', tokens.create),
  route('GET', '/api/v1/auth/refresh_access_token', tokens.refresh),

  route('POST', '/api/v1/api_key', apiKeys.create),
  route('GET', '/api/v1/api_key', apiKeys.list),
  route('DELETE', '/api/v1/api_key/{id}', apiKeys.remove),

  route('POST', '/api/v1/link', links.create),
  route('GET', '/api/v1/link', links.list),
  route('GET', '/api/v1/link/{id}', links.read),
  route('PATCH', '/api/v1/link/{id}', links.update),
  route('DELETE', '/api/v1/link/{id}', links.remove),

  route('POST', '/api/v1/tag', tags.create),
  route('GET', '/api/v1/tag', tags.list),
  route('GET', '/api/v1/tag/{id}', tags.read),
  route('PATCH', '/api/v1/tag/{id}', tags.rename),
  route('DELETE', '/api/v1/tag/{id}', tags.remove),

  route('POST', '/api/v1/invitation', invitations.create),
  route('GET', '/api/v1/invitation', invitations.list),
  route('DELETE', '/api/v1/invitation/{id}', invitations.remove),
];
