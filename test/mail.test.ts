import { describe, expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { asciiEmail } from '../src/rules/account.ts';
import { dayLength } from '../src/rules/durations.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp, type TestApp } from './support/app.ts';
import { selfSigned } from './support/certificate.ts';
import { startMailServer } from './support/mail-server.ts';
import { invite } from './support/members.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

interface MailOptions {
  readonly url: string;
  readonly from?: string;
  readonly deadline?: number;
}

/** Calls `work` with an app that sends mail through this server, the key of an administrator, and the app's log lines. */
async function withMail(
  { url, from, deadline }: MailOptions,
  work: (app: TestApp, key: string, log: string[]) => Promise<void>,
) {
  const lines: string[] = [];
  const app = await startApp({
    env: { SMTP_URL: url, ...(from === undefined ? {} : { MAIL_FROM: from }) },
    overrides: {
      log: new Log('info', (line) => lines.push(line)),
      ...(deadline === undefined ? {} : { mailDeadline: deadline }),
    },
  });
  try {
    const { key } = await app.createAccount('ada@example.com');
    await work(app, key, lines);
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  } finally {
    await app.stop();
  }
}

const setNames = (app: TestApp, key: string, person: string, organization: string) =>
  Promise.all([
    app.call('PATCH', '/api/v1/user', { key, body: { name: person } }),
    app.call('PATCH', '/api/v1/organization', { key, body: { name: organization } }),
  ]);

describe('an invitation by mail', () => {
  test('has the inviter, the organization and the link, as text and HTML', async () => {
    await using server = await startMailServer();
    const from = 'Short links <links@example.com>';
    await withMail({ url: `smtp://127.0.0.1:${server.port}`, from }, async (app, key) => {
      await setNames(app, key, 'Ada', 'Engines & Söhne');
      const { status, json } = await invite(app, key, 'bob@example.com', 'administrator');
      expect([status, json.sent]).toEqual([201, true]);
      expect(server.mails).toHaveLength(1);
      const [mail] = server.mails;
      expect([mail?.from, mail?.to]).toEqual(['links@example.com', ['bob@example.com']]);
      expect(mail?.headers.get('subject')).toBe('Ada invites you to Engines & Söhne');
      expect(mail?.headers.get('from')).toBe('Short links <links@example.com>');
      expect(mail?.headers.get('to')).toBe('bob@example.com');
      expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
      const text = mail?.parts['text/plain'] ?? '';
      expect(text).toStartWith('Ada (ada@example.com) invites you to Engines & Söhne on 127.0.0.1');
      expect(text).toContain('As an administrator you');
      expect(text).toContain(`\n${json.url}\n`);
      const page = mail?.parts['text/html'] ?? '';
      expect(page).toContain(`<a href="${json.url}"`);
      expect(page).toContain('Engines &#38; Söhne');
      expect(page).not.toMatch(/<img|<script|src=/);

      const preview = await app.call('POST', '/api/v1/invitation/preview', {
        body: { token: text.match(/lni_\w+/)?.[0] },
      });
      expect(preview.json.email).toBe('bob@example.com');
    });
  });

  test('without a configured sender is from linnet@ and the host of the service', async () => {
    await using server = await startMailServer();
    await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key) => {
      await invite(app, key, 'bob@example.com');
      expect(server.mails[0]?.headers.get('from')).toBe('Linnet <linnet@localhost>');
      expect(server.mails[0]?.headers.get('subject')).toBe('ada@example.com invites you to ada@example.com');
    });
  });

  test('is sent to one address with one subject, whatever the names contain', async () => {
    await using server = await startMailServer();
    await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key) => {
      const hostileNames = [
        'Ada\r\nBcc: victim@example.com',
        'Ada\nBcc: victim@example.com\n\n<h1>Win</h1>',
        'Ada\u2028Bcc: victim@example.com',
        '"><script>alert(1)</script><a href="https://evil.example">',
        '=?utf-8?B?QmNjOiB2aWN0aW1AZXhhbXBsZS5jb20=?=',
        '\u202eevil.example\u202c visit https://evil.example/now',
        'x'.repeat(200),
        '🦊'.repeat(100),
      ];
      for (const [index, text] of hostileNames.entries()) {
        await setNames(app, key, text, text);
        const { json } = await invite(app, key, `bob${index}@example.com`);
        expect(json.sent).toBe(true);
        const mail = server.mails.at(-1);
        expect(mail?.to).toEqual([`bob${index}@example.com`]);
        expect([...(mail?.headers.keys() ?? [])].sort()).toEqual([
          'auto-submitted',
          'content-type',
          'date',
          'from',
          'message-id',
          'mime-version',
          'subject',
          'to',
        ]);
        const page = mail?.parts['text/html'] ?? '';
        const links = [...page.matchAll(/<a\b[^>]*href="([^"]*)"/g)].map((match) => match[1]);
        expect(links).toEqual([json.url]);
        expect(page).not.toMatch(/<(?:script|h1)/);
        // Nothing that a mail program would turn into a link, except our own.
        for (const part of Object.values(mail?.parts ?? {}))
          expect(part.replaceAll(json.url, '')).not.toMatch(/https?:\/\/|evil\.example|victim@example/);
      }
    });
  });
});

describe('a failing mail server', () => {
  const expectCreatedNotSent = async (app: TestApp, key: string, email = 'bob@example.com') => {
    const { status, json } = await invite(app, key, email);
    expect([status, json.sent]).toEqual([201, false]);
    expect(json.url).toContain(json.token);
    expect((await app.call('GET', '/api/v1/invitation', { key })).json[0].email).toBe(email);
  };
  const warnings = (log: string[]) => log.filter((line) => line.includes('mail not sent'));

  test('that is down: the invitation is created, not sent, and logged', async () => {
    const server = await startMailServer();
    await server[Symbol.asyncDispose]();
    await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key, log) => {
      await expectCreatedNotSent(app, key);
      expect(warnings(log)).toHaveLength(1);
    });
  });

  test.each(['bob@example.com', 'bob@exämple.com'])(
    'that refuses the address: the invitation is created, not sent, and logged without the address %s',
    async (address) => {
      await using server = await startMailServer({
        // As it was sent: this server decodes it.
        onRcptTo: (recipient, _, done) => done(new Error(`no such user ${asciiEmail(recipient.address)}`)),
      });
      await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key, log) => {
        await expectCreatedNotSent(app, key, address);
        expect(warnings(log)[0]).toContain('no such user (address)');
        expect(log.join('')).not.toContain('bob@');
      });
    },
  );

  test('that refuses the mail itself: the invitation is created, not sent, and logged', async () => {
    await using server = await startMailServer({
      onData: (stream, _, done) => {
        stream.on('end', () => done(new Error('looks like spam')));
        stream.resume();
      },
    });
    await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key, log) => {
      await expectCreatedNotSent(app, key);
      expect(warnings(log)[0]).toContain('looks like spam');
    });
  });

  test("whose name doesn't exist: the invitation is created, not sent, and logged", async () => {
    await withMail({ url: 'smtp://nowhere.invalid:25' }, async (app, key, log) => {
      await expectCreatedNotSent(app, key);
      expect(warnings(log)).toHaveLength(1);
    });
  });

  for (const [behavior, respond] of [
    ['sends nothing', () => {}],
    [
      'never ends its greeting',
      (socket: Socket) => {
        const greeting = setInterval(() => socket.write('220-welcome\r\n'), 20);
        socket.on('close', () => clearInterval(greeting));
      },
    ],
  ] as const) {
    test(`that ${behavior} delays the call until the deadline at most, and is disconnected`, async () => {
      const closed = Promise.withResolvers<void>();
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('close', () => closed.resolve());
        socket.resume();
        respond(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      await withMail({ url: `smtp://127.0.0.1:${port}`, deadline: 300 }, async (app, key, log) => {
        const startedAt = performance.now();
        const invitation = expectCreatedNotSent(app, key);
        expect((await app.call('GET', '/api/v1/user', { key })).status).toBe(200);
        await invitation;
        expect(performance.now() - startedAt).toBeLessThan(scaledToLoad(5_000));
        await closed.promise;
        expect(warnings(log)[0]).toContain('took too long');
      });
      server.close();
    });
  }

  test('that works again is used, regardless of how often it failed before', async () => {
    let isWorking = false;
    await using server = await startMailServer({
      onMailFrom: (_, __, done) => (isWorking ? done() : done(new Error('try later'))),
    });
    await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key) => {
      // More often than the limits of an address and of an organization allow.
      for (let round = 0; round < 7; round++) await expectCreatedNotSent(app, key);
      const others = Array.from({ length: 50 }, (_, index) => invite(app, key, `guest${index}@example.com`));
      expect((await Promise.all(others)).some(({ json }) => json.sent)).toBe(false);
      isWorking = true;
      expect((await invite(app, key, 'bob@example.com')).json.sent).toBe(true);
    });
  });

  test('gets at most fifty invitations an hour from one organization', async () => {
    await using server = await startMailServer();
    await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key) => {
      const responses = await Promise.all(
        Array.from({ length: 60 }, (_, index) => invite(app, key, `guest${index}@example.com`)),
      );
      expect(responses.filter(({ json }) => json.sent)).toHaveLength(50);
      expect(responses.every(({ status }) => status === 201)).toBe(true);
      expect(server.mails).toHaveLength(50);
    });
  });

  test('gets at most five mails a day for one address', async () => {
    await using server = await startMailServer();
    await withMail({ url: `smtp://127.0.0.1:${server.port}` }, async (app, key, log) => {
      const sent: boolean[] = [];
      for (let mail = 0; mail < 7; mail++) sent.push((await invite(app, key, 'bob@example.com')).json.sent);
      expect(sent).toEqual([true, true, true, true, true, false, false]);
      expect(server.mails).toHaveLength(5);
      expect(warnings(log).length).toBeGreaterThan(0);
      app.clock.now += dayLength;
      expect((await invite(app, key, 'bob@example.com')).json.sent).toBe(true);
    });
  });
});

describe('a password for the mail server', () => {
  test('is sent, over TLS if the server supports it', async () => {
    const { certificate: cert, key: privateKey } = selfSigned('localhost');
    await using server = await startMailServer({ cert, key: privateKey, authOptional: false });
    const url = `smtp://linnet:right%20horse@127.0.0.1:${server.port}?tls.rejectUnauthorized=false`;
    await withMail({ url }, async (app, key) => {
      expect((await invite(app, key, 'bob@example.com')).json.sent).toBe(true);
      expect(server.logins).toEqual(['linnet:right horse']);
      expect(server.mails[0]?.isEncrypted).toBe(true);
    });
  });

  test('is not sent to a server with an invalid certificate', async () => {
    const { certificate: cert, key: privateKey } = selfSigned('localhost');
    await using server = await startMailServer({ cert, key: privateKey, authOptional: false });
    await withMail({ url: `smtp://linnet:right%20horse@127.0.0.1:${server.port}` }, async (app, key) => {
      expect((await invite(app, key, 'bob@example.com')).json.sent).toBe(false);
      expect(server.logins).toEqual([]);
    });
  });

  test('is encrypted from the start with smtps', async () => {
    const { certificate: cert, key: privateKey } = selfSigned('localhost');
    await using server = await startMailServer({ cert, key: privateKey, secure: true });
    const url = `smtps://127.0.0.1:${server.port}?tls.rejectUnauthorized=false`;
    await withMail({ url }, async (app, key) => {
      expect((await invite(app, key, 'bob@example.com')).json.sent).toBe(true);
      expect(server.mails[0]?.isEncrypted).toBe(true);
    });
  });

  test('that is wrong appears in no log and no response', async () => {
    await using server = await startMailServer({ authOptional: false });
    const url = `smtp://linnet:hunter2secret@127.0.0.1:${server.port}`;
    await withMail({ url }, async (app, key, log) => {
      const { json, text } = await invite(app, key, 'bob@example.com');
      expect(json.sent).toBe(false);
      expect(server.logins).toEqual(['linnet:hunter2secret']);
      const encoded = Buffer.from('hunter2secret').toString('base64');
      for (const secret of ['hunter2', encoded]) expect(`${text}${log.join('')}`).not.toContain(secret);
    });
  });

  // 127.0.0.2 counts as another machine, and only Linux listens on it without configuration.
  test.if(process.platform === 'linux')('is never sent unencrypted to another machine', async () => {
    await using server = await startMailServer({}, '127.0.0.2');
    await withMail({ url: `smtp://linnet:right%20horse@127.0.0.2:${server.port}` }, async (app, key) => {
      expect((await invite(app, key, 'bob@example.com')).json.sent).toBe(false);
      expect(server.logins).toEqual([]);
    });
    const trusted = `smtp://linnet:right%20horse@127.0.0.2:${server.port}?requireTLS=false`;
    await withMail({ url: trusted }, async (app, key) => {
      expect((await invite(app, key, 'bob@example.com')).json.sent).toBe(true);
    });
  });
});
