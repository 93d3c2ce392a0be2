/** The thread of the fold: moves hits from the journals into storage. */
import { foldPartsOf } from './compose/fold-parts.ts';
import type { FoldSettings, FromFold, ToFold } from './ledger/fold/fold-messages.ts';
import { FoldWorker } from './ledger/fold/fold-worker.ts';
import { isTransient } from './rules/transient-error.ts';
import { collectWhenIdle } from './threads/gc-when-idle.ts';
import { lowerPriority } from './threads/lower-priority.ts';

declare const self: Worker;

const retryPause = 1_000;

const tell = (message: FromFold) => self.postMessage(message);
let worker: FoldWorker | undefined;
let retryTimer: Timer | undefined;
/** The last message with the end of the journal, received before the worker was open. */
let waiting: Extract<ToFold, { kind: 'wake' | 'stop' }> | undefined;

lowerPriority();
collectWhenIdle(() => worker?.release());

self.onmessage = ({ data: message }: MessageEvent<ToFold>) => {
  if (message.kind === 'start') void open(message.settings, message.now);
  else if (worker !== undefined) worker.take(message);
  else if (message.kind === 'stop' && retryTimer !== undefined) stopWaiting();
  else if (message.kind !== 'cleanUp') waiting = message;
};

/** A lack of descriptors or disk space is temporary, so it retries: the clicks wait in the journal. */
async function open(settings: FoldSettings, now: number): Promise<void> {
  retryTimer = undefined;
  try {
    worker = new FoldWorker({ ...(await foldPartsOf(settings, tell)), settings, now, send: tell });
  } catch (cause) {
    const { message, stack = '' } = cause as Error;
    if (!isTransient(cause)) return tell({ kind: 'fault', message, stack });
    tell({ kind: 'warning', event: 'clicks wait in the journal', facts: { error: message } });
    if (waiting?.kind === 'stop') return stopWaiting();
    retryTimer = setTimeout(() => open(settings, now), retryPause);
    return;
  }
  if (waiting !== undefined) worker.take(waiting);
}

function stopWaiting(): void {
  clearTimeout(retryTimer);
  tell({ kind: 'stopped' });
}
