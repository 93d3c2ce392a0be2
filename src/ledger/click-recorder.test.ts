import { expect, test } from 'bun:test';
import { eventually } from '../../test/support/eventually.ts';
import { foldSettings } from '../../test/support/fold-worker.ts';
import { plainHit } from '../../test/support/plain-hit.ts';
import { temporaryFolder } from '../../test/support/program.ts';
import { realDisk } from '../journal/disk.ts';
import { folderOf, journalsIn, segmentsIn } from '../journal/files.ts';
import { ClickRecorder } from './click-recorder.ts';
import type { FromFold, ToFold } from './fold/fold-messages.ts';

const hit = {
  ...plainHit,
  at: Date.now(),
  userAgent: 'x',
} as const;

interface FakeFold {
  onmessage: (event: { data: FromFold }) => void;
  postMessage(message: ToFold): void;
  terminate(): void;
}

const recorderIn = (dataDir: string, fold: FakeFold): ClickRecorder =>
  new ClickRecorder({
    settings: { ...foldSettings(dataDir), keep: { milliseconds: 0, bytes: 0 } },
    disk: realDisk,
    now: Date.now,
    afterTick: setImmediate,
    startThread: () => fold as unknown as Worker,
    warn: () => {},
    fault: () => {},
  });

async function stop(recorder: ClickRecorder, fold: FakeFold): Promise<void> {
  queueMicrotask(() => fold.onmessage({ data: { kind: 'stopped' } }));
  await recorder.stop();
}

test('a segment ends even if hits arrive without a pause, so that its addresses are deleted', async () => {
  await using folder = await temporaryFolder();
  // A fold that always has one more hit to fold.
  const fold: FakeFold = {
    onmessage: () => {},
    postMessage(message) {
      if (message.kind !== 'wake') return;
      const position = { ...message.end, offset: message.end.offset - 1 };
      if (position.offset > 0) queueMicrotask(() => fold.onmessage({ data: { kind: 'folded', position } }));
    },
    terminate() {},
  };
  const recorder = recorderIn(folder.path, fold);
  const appending = setInterval(() => void recorder.append(hit), 20);
  const segments = () => journalsIn(folder.path).flatMap((name) => segmentsIn(folderOf(folder.path, name)));
  await eventually(() => segments().length > 1, 'a second segment');
  clearInterval(appending);
  expect(segments()).toContain(2);
  await stop(recorder, fold);
});

test('after a rush of hits the fold is woken later than after a few', async () => {
  await using folder = await temporaryFolder();
  const wakes: { readonly at: number; readonly bytes: number }[] = [];
  const fold: FakeFold = {
    onmessage: () => {},
    postMessage: (message) =>
      message.kind === 'wake' && wakes.push({ at: performance.now(), bytes: message.end.offset }),
    terminate() {},
  };
  const recorder = recorderIn(folder.path, fold);
  recorder.append(hit);
  await eventually(() => wakes.length === 1, 'a first wake');
  for (let count = 0; count < 20_000; count++) recorder.append(hit);
  await eventually(() => Number(wakes.at(-1)?.bytes) > 256 * 1024, 'a wake after the rush');
  const [before, after] = wakes.slice(-2).map(({ at }) => at);
  // Its timer may be late, but not early.
  expect(Number(after) - Number(before)).toBeGreaterThan(600);
  await stop(recorder, fold);
});
