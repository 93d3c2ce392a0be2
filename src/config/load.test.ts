import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ConfigProblem, loadConfig } from './load.ts';
import { options } from './options.ts';

const read = (environment: Record<string, string>) => {
  try {
    return loadConfig(environment);
  } catch (cause) {
    if (cause instanceof ConfigProblem) return cause.message;
    throw cause;
  }
};

describe('settings', () => {
  test('have valid defaults', () => {
    expect(loadConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      registration: 'closed',
      baseUrl: null,
    });
  });

  test('are parsed', () => {
    const config = loadConfig({
      PORT: '0',
      BASE_URL: 'https://links.example.com/',
      APP_SCHEMES: 'MyApp:, whatsapp',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    });
    expect(config.baseUrl?.origin).toBe('https://links.example.com');
    expect(config.appSchemes).toEqual(['myapp', 'whatsapp']);
    expect(config.trustedProxies).toMatchObject({
      kind: 'networks',
      ranges: [
        [expect.anything(), 8],
        [expect.anything(), 128],
      ],
    });
  });

  test('of proxies may have IPv4 addresses as a log of IPv6 shows them', () => {
    const { trustedProxies } = loadConfig({ TRUSTED_PROXIES: '::ffff:10.0.0.5, ::ffff:10.1.0.0/112, ::/0' });
    const ranges = trustedProxies.kind === 'networks' ? trustedProxies.ranges : [];
    expect(ranges.map(([address, bits]) => `${address}/${bits}`)).toEqual([
      '10.0.0.5/32',
      '10.1.0.0/16',
      '::/0',
    ]);
  });

  test('of the mail server are an address and a sender', () => {
    const from = (text: string) => loadConfig({ MAIL_FROM: text }).mailFrom;
    expect(loadConfig({ SMTP_URL: 'smtps://u:p@mail.example.com' }).smtpUrl).toBe(
      'smtps://u:p@mail.example.com',
    );
    expect(from('links@example.com')).toEqual({ name: '', address: 'links@example.com' });
    for (const named of ['Short links <links@example.com>', '"Short links" <links@example.com>'])
      expect(from(named)).toEqual({ name: 'Short links', address: 'links@example.com' });
    for (const wrong of [
      'links',
      'a@b.example, c@d.example',
      'A <a@b.example> <c@d.example>',
      'A\nB <a@b.example>',
    ])
      expect(read({ MAIL_FROM: wrong })).toContain('MAIL_FROM is');
    for (const wrong of [
      'mail.example.com:25',
      'http://mail.example.com',
      'smtp://',
      'smtp:mail',
      'smtp://u:hunter2@',
    ])
      expect(read({ SMTP_URL: wrong })).toStartWith('SMTP_URL is set: give smtp://');
  });

  test('that are wrong are named with their value, except for secrets', () => {
    expect(read({ PORT: '-1' })).toBe('PORT is "-1": give a whole number from 0 to 65535.');
    expect(read({ SECRET_KEY: 'hunter2' })).not.toContain('hunter2');
    expect(read({ DATABASE_URL: 'mysql://u:hunter2@h/d' })).not.toContain('hunter2');
    for (const value of [
      '300',
      '1.2',
      'all',
      '10.0.0.0/99',
      '10/8',
      '10.0/8',
      '010.0.0.0/8',
      '0xa.0.0.0/8',
      '010.0.0.1',
    ])
      expect(read({ TRUSTED_PROXIES: value })).toContain('TRUSTED_PROXIES is');
  });

  test('are all in the documentation, each with its default and its help', async () => {
    const page = await Bun.file(join(import.meta.dir, '../../docs/operations.md')).text();
    for (const { variable, default: text, help } of Object.values(options)) {
      expect(page).toContain(`| \`${variable}\` | ${text === '' ? '' : `\`${text}\` `}| ${help} |`);
    }
  });
});
