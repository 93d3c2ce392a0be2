import { expect, test } from 'bun:test';
import { type StartupBanner, startupBanner } from './startup-banner.ts';

const fresh: StartupBanner = {
  url: 'http://127.0.0.1:3000',
  config: { host: '127.0.0.1', baseUrl: null },
  port: '3000',
  setupToken: 'the-token',
  isTerminal: true,
  addresses: ['192.0.2.7', '2001:db8::7'],
};
const allInterfaces = { host: '0.0.0.0', baseUrl: null };
const withBaseUrl = (url: string) => ({ url, config: { host: '0.0.0.0', baseUrl: new URL(url) } });

test('the setup token is shown in a terminal, but not in a log', () => {
  for (const start of [
    fresh,
    { ...fresh, config: allInterfaces },
    { ...fresh, ...withBaseUrl('https://links.example.com') },
  ]) {
    expect(startupBanner(start)).toContain('the-token');
    const logged = startupBanner({ ...start, isTerminal: false });
    expect(logged).not.toContain('the-token');
    expect(logged).toContain('npm run -s linnet -- setup token');
  }
});

test('if other machines can connect and no address is set, the banner says what to set, before and after the first account', () => {
  const first = startupBanner({ ...fresh, config: allInterfaces });
  expect(first).toContain('From another machine open http://192.0.2.7:3000:');
  expect(first).toContain('BASE_URL');
  const later = startupBanner({ ...fresh, config: allInterfaces, setupToken: null });
  expect(later).toContain('Other machines find nothing here yet: set BASE_URL');
  expect(later).toContain('http://192.0.2.7:3000');
  const ipv6 = { ...fresh, config: { host: '2001:db8::7', baseUrl: null } };
  expect(startupBanner(ipv6)).toContain('open http://[2001:db8::7]:3000:');
  // Nothing listens on 127.0.0.1 then.
  expect(startupBanner(ipv6)).toStartWith('Linnet listens on http://[2001:db8::7]:3000\n');
  expect(startupBanner(ipv6)).not.toContain('127.0.0.1');
  expect(startupBanner({ ...fresh, config: allInterfaces, addresses: [] })).toContain(
    'http://<the address of this machine>:3000',
  );
});

test('if only this machine can connect, the banner says so, and how to let others in', () => {
  expect(startupBanner(fresh)).toContain(
    'Only this machine reaches it. To let others in, set HOST, and BASE_URL',
  );
  expect(startupBanner({ ...fresh, setupToken: null })).not.toContain('BASE_URL');
});

test('if the address is set, the banner does not mention BASE_URL', () => {
  for (const url of ['https://links.example.com', 'http://192.0.2.7:3000'])
    for (const setupToken of ['the-token', null]) {
      const text = startupBanner({ ...fresh, ...withBaseUrl(url), setupToken });
      expect(text).toStartWith(`Linnet listens on ${url}\n`);
      expect(text).not.toContain('BASE_URL');
    }
  // The address was set with the first account, and is stored.
  expect(
    startupBanner({ ...fresh, config: allInterfaces, url: 'http://192.0.2.7:3000', setupToken: null }),
  ).not.toContain('BASE_URL');
});
