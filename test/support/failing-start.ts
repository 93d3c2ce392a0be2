/**
 * A start that goes wrong, by the settings or by BREAK. It says how, whether those who were being answered were waited
 * for, and which files it still holds in the data folder; then it does nothing more: it ends when nothing is left open
 * that keeps it awake.
 */
import { Database } from 'bun:sqlite';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/app.ts';
import { visitorsInThread } from '../../src/compose/visit-worker.ts';
import { visitorsHere } from '../../src/compose/visitor-plane.ts';
import type { StartVisitors, Visitors } from '../../src/compose/visitors.ts';
import { loadConfig } from '../../src/config/load.ts';
import { eventually } from './eventually.ts';

const { BREAK = '', DATA_DIR = '', VISITORS } = process.env;
const startVisitors = VISITORS === 'in a thread' ? visitorsInThread(process.env) : visitorsHere;

let isWaitedFor = false;

const changed =
  (change: (visitors: Visitors) => void): StartVisitors =>
  async (...parts) => {
    const visitors = await startVisitors(...parts);
    change(visitors);
    return visitors;
  };

const breaks: Record<string, StartVisitors> = {
  'the accounts, once visitors are let in': changed((visitors) => {
    const authorize = visitors.open.bind(visitors);
    visitors.open = async (origin) => {
      await authorize(origin);
      using database = new Database(join(DATA_DIR, 'linnet.sqlite'));
      // A change that is under way is ended by this thread: it must not be waited for in one go.
      await eventually(
        () => isDone(() => database.run('alter table users rename to lost')),
        'a moment without changes',
      );
    };
    const stopTaking = visitors.stopTaking.bind(visitors);
    visitors.stopTaking = (patience) => {
      isWaitedFor = patience > 0;
      return stopTaking(patience);
    };
  }),
  'the closing, too': changed((visitors) => {
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

function filesHeld(): string[] {
  const files = readdirSync('/proc/self/fd').map((file) => {
    try {
      return readlinkSync(join('/proc/self/fd', file));
    } catch {
      // The one that this very look was made with.
      return '';
    }
  });
  return files.filter((file) => file.startsWith(DATA_DIR));
}

const settings = { ...process.env, PORT: process.env.PORT ?? '0' };
const problem = await createApp(loadConfig(settings), {}, breaks[BREAK] ?? startVisitors).then(
  () => 'none: it started',
  (cause: Error) => cause.message,
);
process.stdout.write(JSON.stringify({ problem, isWaitedFor, held: filesHeld() }));
