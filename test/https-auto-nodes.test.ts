import { describe, expect, test } from 'bun:test';
import {
  type CallOutcome,
  hasPebble,
  ownHost,
  startAuthority,
  startAutoApp,
  visitor,
} from './support/acme.ts';
import { eventually } from './support/eventually.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { secureSocket } from './support/tls-app.ts';

describe.skipIf(!hasPebble)('two nodes', () => {
  test('order a certificate once, validate it for each other, and both serve it', async () => {
    await using authority = await startAuthority();
    authority.names[ownHost] = { A: ['127.0.0.1'] };
    const [orderRequested, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    authority.outcomeOf = async (_, path): Promise<CallOutcome> => {
      if (path !== '/order-plz') return 'passed';
      orderRequested.resolve();
      await proceed.promise;
      return 'passed';
    };
    // The first node orders, and the authority connects to the second, which runs before anything is validated.
    await using first = await startAutoApp(authority, {
      store: 'postgres',
      onFreePorts: true,
      env: { SECRET_KEY },
    });
    await orderRequested.promise;
    const DATABASE_URL = first.databaseUrl;
    await using second = await startAutoApp(authority, { env: { SECRET_KEY, DATABASE_URL } });
    proceed.resolve();
    const certificateOf = async ({ app }: { readonly app: typeof first.app }) => {
      const socket = await secureSocket(app, visitor);
      const { serialNumber, issuer } = socket.getPeerCertificate();
      socket.destroy();
      return { serialNumber, isIssued: String(issuer.CN).startsWith('Pebble') };
    };
    const serials = await Promise.all(
      [first, second, second].map(async (node) => {
        // A visitor who connects while the name is being validated may get the challenge's certificate.
        let certificate = await certificateOf(node);
        await eventually(async () => {
          if (!certificate.isIssued) certificate = await certificateOf(node);
          return certificate.isIssued;
        }, 'the certificate');
        return certificate.serialNumber;
      }),
    );
    expect(new Set(serials).size).toBe(1);
    await eventually(() => first.lines('certificate issued').length > 0, 'the log line');
    expect(first.lines('certificate issued')).toHaveLength(1);
    expect(second.lines('certificate issued')).toEqual([]);
    expect(serials[0]).toMatch(/^[0-9A-F]+$/);
    const callsOf = (path: string) => authority.calls.filter((call) => call === `POST ${path}`).length;
    expect([callsOf('/sign-me-up'), callsOf('/order-plz')]).toEqual([1, 1]);
  });
});
