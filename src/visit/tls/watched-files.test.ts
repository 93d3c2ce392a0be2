import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../../test/support/certificate.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { watchCertificate } from './watched-files.ts';

const interval = 10;

test('a new certificate that is not valid yet is reported once, and used once it is valid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-watched-'));
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  const write = () => {
    const pair = selfSigned('links.example.com');
    writeFileSync(files.key, pair.key);
    writeFileSync(files.certificate, pair.certificate);
    return pair;
  };
  write();
  let now = 0;
  const used: string[] = [];
  const problems: string[] = [];
  const stop = watchCertificate(files, {
    now: () => now,
    onChange: ({ certificate }) => void used.push(certificate),
    onProblem: (problem) => void problems.push(problem),
    interval,
  });
  const renewed = write();
  await eventually(() => problems.length > 0, 'the problem');
  await Bun.sleep(10 * interval);
  expect(problems).toEqual([expect.stringContaining('is only good from')]);
  expect(used).toEqual([]);
  now = Date.now();
  await eventually(() => used.length > 0, 'the certificate');
  await Bun.sleep(10 * interval);
  expect(used).toEqual([renewed.certificate]);
  stop();
  rmSync(folder, { recursive: true });
});
