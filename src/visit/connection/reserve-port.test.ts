import { expect, test } from 'bun:test';
import { reservePort } from './reserve-port.ts';

const host = '127.0.0.1';

const shared = (port: number) => {
  const address = { hostname: host, port, reusePort: true };
  return Bun.listen({ ...address, socket: { data() {} } });
};

test('a reserved port can not be reserved again although nothing listens on it, but workers that share it can listen', () => {
  const port = reservePort({ host, port: 0 });
  expect(() => reservePort({ host, port })).toThrow(`Port ${port} on ${host} is taken.`);
  using worker = shared(port);
  expect(worker.port).toBe(port);
});

test('a port that is in use is refused', () => {
  using other = shared(0);
  expect(() => reservePort({ host, port: other.port })).toThrow(`Port ${other.port} on ${host} is taken.`);
});

test('a chosen port is below the range for outgoing connections, so that none takes it before the workers listen', () => {
  for (let count = 0; count < 20; count++) {
    const port = reservePort({ host, port: 0 });
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_000);
  }
});
