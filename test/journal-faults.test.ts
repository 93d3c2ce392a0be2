import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { type JournalDisk, realDisk } from '../src/journal/disk.ts';
import { segmentsIn } from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { Journal } from '../src/journal/journal.ts';
import { JournalReader } from '../src/journal/reader.ts';
import { HitCursor } from '../src/ledger/fold/hit-cursor.ts';
import { plainHit } from './support/plain-hit.ts';
import { runScriptWithFileLimit, temporaryFolder } from './support/program.ts';

const hitAt = (at: number): RawHit => ({
  ...plainHit,
  at,
  userAgent: 'Mozilla/5.0',
  query: `?${'q'.repeat(at % 90)}`,
});

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

type Operation = 'open' | 'write' | 'truncate' | 'sync';

const fault = (code: string) => Object.assign(new Error(code), { code });

/** A real disk on which some operations fail, and some writes are partial. */
function faultyDisk(codeOf: (operation: Operation) => string | null): JournalDisk {
  const check = (operation: Operation) => {
    const code = codeOf(operation);
    if (code !== null) throw fault(code);
  };
  return {
    ...realDisk,
    open: (path) => {
      check('open');
      return realDisk.open(path);
    },
    write: (file, bytes, from, length, at) => {
      const code = codeOf('write');
      if (code === null) return realDisk.write(file, bytes, from, length, at);
      if (length > 40) realDisk.write(file, bytes, from, 40, at);
      throw fault(code);
    },
    truncate: (file, size) => {
      check('truncate');
      realDisk.truncate(file, size);
    },
    sync: (file, done) => {
      const code = codeOf('sync');
      if (code === null) realDisk.sync(file, done);
      else queueMicrotask(() => done(fault(code)));
    },
  };
}

function instantsIn(path: string): number[] {
  const reader = new JournalReader(path, { segment: 1, offset: 0 }, () => {});
  const cursor = new HitCursor();
  const found: number[] = [];
  for (let record = reader.next(null); record !== null; record = reader.next(null)) {
    cursor.begin(record);
    while (cursor.next()) found.push(cursor.at);
  }
  reader.close();
  return found;
}

const codes = ['EMFILE', 'ENFILE', 'ENOSPC', 'EIO'] as const;
type Step = {
  readonly kind: 'hits' | 'rotate' | 'break' | 'repair';
  readonly count: number;
  readonly operations: Operation[];
};

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('hits', 'hits', 'hits', 'rotate', 'break', 'repair'),
  count: fc.integer({ min: 1, max: 120 }),
  operations: fc.subarray(['open', 'write', 'truncate', 'sync'] as Operation[]),
});

test('whichever disk operations fail, and whenever, each hit is in the journal once, in order, or reported as dropped', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), fc.nat(3), async (steps, codeIndex) => {
      const path = `${folder.path}/${run++}`;
      let broken: readonly Operation[] = [];
      let dropped = 0;
      const journal = new Journal({
        afterTick: setImmediate,
        folder: () => {
          mkdirSync(path, { recursive: true });
          return path;
        },
        use: () => {},
        disk: faultyDisk((operation) => (broken.includes(operation) ? (codes[codeIndex] ?? null) : null)),
        onWritten: () => {},
        onWarning: (what, hits) => {
          if (what === 'dropped') dropped += hits;
        },
      });
      let at = 1_795_000_000_000;
      let appended = 0;
      for (const { kind, count, operations } of steps) {
        if (kind === 'hits') {
          for (let index = 0; index < count; index++) {
            appended += 1;
            await journal.append(hitAt(at++));
          }
        } else if (kind === 'rotate') journal.rotate();
        else broken = kind === 'break' ? operations : [];
      }
      await journal.stop();
      const found = instantsIn(path);
      expect(found).toEqual(found.toSorted((one, other) => one - other));
      expect(new Set(found).size).toBe(found.length);
      expect(found.length + dropped).toBe(appended);
      journal.append(hitAt(at));
      expect(found.length + dropped).toBe(appended + 1);
    }),
    { numRuns: 150 },
  );
});

test('without file descriptors the current segment continues, and no hit waits in memory', async () => {
  let isOutOfDescriptors = false;
  const journal = new Journal({
    afterTick: setImmediate,
    folder: () => folder.path,
    use: () => {},
    disk: faultyDisk((operation) => (operation === 'open' && isOutOfDescriptors ? 'EMFILE' : null)),
    onWritten: () => {},
    onWarning: (_what, _hits, cause) => {
      throw cause;
    },
  });
  // Descriptors are missing from the first hit on.
  isOutOfDescriptors = true;
  for (let at = 1; at <= 30; at++) {
    expect(journal.append(hitAt(at * 10))).toBe(null);
    journal.rotate();
  }
  expect(journal.end.segment).toBe(1);
  isOutOfDescriptors = false;
  journal.rotate();
  expect(journal.end).toEqual({ segment: 2, offset: 0 });
  await journal.append(hitAt(310));
  await journal.stop();
  expect(segmentsIn(folder.path)).toEqual([1, 2]);
  expect(instantsIn(folder.path)).toEqual(Array.from({ length: 31 }, (_, index) => (index + 1) * 10));
});

test("a segment that can't be opened now is not treated as missing", async () => {
  const journal = new Journal({
    afterTick: setImmediate,
    folder: () => folder.path,
    use: () => {},
    disk: realDisk,
    onWritten: () => {},
    onWarning: () => {},
  });
  for (let at = 1; at <= 9; at++) {
    await journal.append(hitAt(at * 10));
    if (at % 3 === 0) journal.rotate();
  }
  await journal.stop();
  const script = runScriptWithFileLimit({ soft: 200, hard: 200 }, 'read-without-descriptors.ts', {
    FOLDER: folder.path,
  });
  expect(await script.exited).toBe(0);
  expect(JSON.parse(script.output().out)).toEqual({
    // Once per segment; the last one was opened and not used.
    refused: Array(4).fill('EMFILE'),
    found: [10, 20, 30, 40, 50, 60, 70, 80, 90],
  });
});
