import { expect, test } from 'bun:test';
import { type FetchHeaders, type HeaderEvidence, headerEvidenceOf } from './header-evidence.ts';

const plain: FetchHeaders = { mode: null, destination: null, platform: null, forwardedProto: null };

test.each<[string, Partial<FetchHeaders>, HeaderEvidence]>([
  ['a link that is opened', { mode: 'navigate', destination: 'document' }, 'none'],
  ['a link that is opened in a frame', { mode: 'navigate', destination: 'iframe' }, 'none'],
  ['a navigation with an empty destination', { mode: 'navigate', destination: 'empty' }, 'none'],
  ['an image', { mode: 'no-cors', destination: 'image' }, 'not_navigation'],
  ['a script', { mode: 'no-cors', destination: 'script' }, 'not_navigation'],
  ['a module', { mode: 'cors', destination: 'script' }, 'not_navigation'],
  ['a fetch', { mode: 'cors', destination: 'empty' }, 'not_navigation'],
  ['a fetch of the same origin', { mode: 'same-origin', destination: 'empty' }, 'not_navigation'],
  ['a socket', { mode: 'websocket', destination: 'empty' }, 'not_navigation'],
  ['an unknown mode', { mode: 'nested-navigate', destination: 'image' }, 'none'],
  ['an image without a mode', { destination: 'image' }, 'not_navigation'],
  ['a document without a mode', { destination: 'document' }, 'none'],
  ['an empty destination without a mode', { destination: 'empty' }, 'none'],
  ['an unknown destination', { destination: 'hologram' }, 'none'],
  ['no header at all', {}, 'none'],
  ['no header on http', { forwardedProto: 'http' }, 'none'],
  ['no header on https', { forwardedProto: 'https' }, 'no_browser_headers'],
  ['a client hint on https', { forwardedProto: 'https', platform: '"Windows"' }, 'none'],
  ['a navigation on https', { forwardedProto: 'HTTPS', mode: 'navigate' }, 'none'],
])('%s', (_, headers, headerEvidence) => {
  expect(headerEvidenceOf({ ...plain, ...headers })).toBe(headerEvidence);
});
