/**
 * Starts that fail, each because of its settings or its BREAK, with VISITORS in a thread or here. For each, prints how it
 * failed, whether requests in progress were waited for, and which files in its data folder are still open. Then it does
 * nothing more, so the process exits unless an open handle keeps it running.
 */
import { Database } from 'bun:sqlite';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/app.ts';
import type { DataPlane, StartDataPlane } from '../../src/compose/data-plane.ts';
import { startInThisThread } from '../../src/compose/local-data-plane.ts';
import { startVisitorThread } from '../../src/compose/visitor-thread-client.ts';
import { loadConfig } from '../../src/config/load.ts';
import { eventually } from './eventually.ts';

type Settings = Record<string, string>;

export interface FailedStart {
  readonly problem: string;
  readonly isWaitedFor: boolean;
  readonly held: readonly string[];
}

/** Of the current start. */
let isWaitedFor = false;
let isInThread = false;
let settings: Settings = {};

const startDataPlane: StartDataPlane = (...parts) =>
  isInThread ? startVisitorThread(settings)(...parts) : startInThisThread(...parts);

const withChange =
  (change: (visitors: DataPlane) => void): StartDataPlane =>
  async (...parts) => {
    const visitors = await startDataPlane(...parts);
    change(visitors);
    return visitors;
  };

const breaks: Record<string, StartDataPlane> = {
  'the accounts, once visitors are let in': withChange((visitors) => {
    const authorize = visitors.open.bind(visitors);
    visitors.open = async (...parameters) => {
      await authorize(...parameters);
      using database = new Database(join(settings.DATA_DIR ?? '', 'linnet.sqlite'));
      // An open transaction of this thread may lock the database, and only this thread can end it: retry without blocking.
      await eventually(
        () => isDone(() => database.run('alter table users rename to lost')),
        'a moment without changes',
      );
    };
    const stopAccepting = visitors.stopAccepting.bind(visitors);
    visitors.stopAccepting = (timeout) => {
      isWaitedFor = timeout > 0;
      return stopAccepting(timeout);
    };
  }),
  'the closing, too': withChange((visitors) => {
    const close = visitors.close.bind(visitors);
    visitors.close = async () => {
      await close();
      throw new Error('closing went wrong');
    };
  }),
};

function isDone(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function openFiles(): string[] {
  const files = readdirSync('/proc/self/fd').map((file) => {
    try {
      return readlinkSync(join('/proc/self/fd', file));
    } catch {
      // The descriptor that readdir itself used.
      return '';
    }
  });
  return files.filter((file) => file.startsWith(settings.DATA_DIR ?? ''));
}

async function failedStart({ BREAK = '', VISITORS, ...environment }: Settings): Promise<FailedStart> {
  isWaitedFor = false;
  isInThread = VISITORS === 'in a thread';
  settings = { PORT: '0', ...environment };
  const problem = await createApp(loadConfig(settings), {}, breaks[BREAK] ?? startDataPlane).then(
    () => 'none: it started',
    (cause: Error) => cause.message,
  );
  return { problem, isWaitedFor, held: openFiles() };
}

const failed: FailedStart[] = [];
for (const environment of JSON.parse(process.env.STARTS ?? '[]')) failed.push(await failedStart(environment));
process.stdout.write(JSON.stringify(failed));
