import { expect, test } from 'bun:test';
import { reservePort } from './reserve-port.ts';

const host = '127.0.0.1';

const shared = (port: number) => {
  const place = { hostname: host, port, reusePort: true };
  return Bun.listen({ ...place, socket: { data() {} } });
};

test('a held port is refused to a second holder although nothing listens on it, and free for those who share it', () => {
  const port = reservePort({ host, port: 0 });
  expect(() => reservePort({ host, port })).toThrow(`Port ${port} on ${host} is taken.`);
  using worker = shared(port);
  expect(worker.port).toBe(port);
});

test('a port that is in use is refused', () => {
  using other = shared(0);
  expect(() => reservePort({ host, port: other.port })).toThrow(`Port ${other.port} on ${host} is taken.`);
});

test('a port of its own choice gets no connections before the workers listen', () => {
  for (let count = 0; count < 20; count++) {
    const port = reservePort({ host, port: 0 });
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_000);
  }
});
