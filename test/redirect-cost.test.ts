import { expect, test } from 'bun:test';
import { cpuTime } from '../bench/cpu-time.ts';
import { load } from '../bench/load.ts';
import { callApi, register } from '../bench/owner.ts';
import { type Program, startScript } from '../bench/program.ts';
import { requestBytes } from '../bench/request.ts';
import { temporaryFolder } from './support/program.ts';

const destination = 'https://shop.example.com/collections/autumn/products/1742';
const visits = 10_000;
const rounds = 6;
/** The ratio was between 1.05 and 1.35 when this was written; a redirect of twice that cost exceeds the bound. */
const bound = 1.8;

const browser = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9',
};

/** Microseconds of CPU time that the visits cost the program, independent of other load on the machine. */
async function costOf(program: Program, path: string): Promise<number> {
  const visit = requestBytes(program.port, 'GET', path, browser);
  const before = cpuTime(program) ?? 0;
  await load(program, { connections: 32, seconds: 60, maxRequests: visits, status: 302, next: () => visit });
  return (cpuTime(program) ?? 0) - before;
}

test.skipIf(process.platform !== 'linux')(
  'a redirect that records its click in the journal costs little more CPU time than one by a bare server',
  async () => {
    await using folder = await temporaryFolder();
    await using linnet = await startScript('bench/recording-program.ts', {
      PORT: '0',
      DATA_DIR: folder.path,
      MISS_LIMIT: '0',
      HITS: 'unfolded',
    });
    await using bareServer = await startScript('bench/bare-redirect.ts', { LOCATION: destination });
    const { key } = await register(linnet);
    const { suffix } = await callApi<{ suffix: string }>(linnet, 'POST', '/api/v1/link', {
      body: { destination_url: destination },
      credential: key,
    });
    // Warms up the JIT compiler.
    for (const program of [linnet, bareServer]) await costOf(program, `/${suffix}`);
    const ratios: number[] = [];
    // The smallest ratio counts; the loop ends with the first one below the bound.
    while (ratios.length < rounds && !(Math.min(...ratios) < bound)) {
      const linnetCost = await costOf(linnet, `/${suffix}`);
      ratios.push(linnetCost / (await costOf(bareServer, `/${suffix}`)));
    }
    expect(Math.min(...ratios)).toBeLessThan(bound);
  },
  240_000,
);
