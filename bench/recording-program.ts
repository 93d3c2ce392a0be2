/** Linnet with hits that are dropped, or journalled but not folded: measures what each part of a hit costs. */
import { createApp } from '../src/app.ts';
import { startVisitorThread } from '../src/compose/visitor-thread-client.ts';
import { loadConfig } from '../src/config/load.ts';
import { lowerPriority } from '../src/threads/lower-priority.ts';

const hits = process.env.HITS === 'dropped' ? 'dropped' : 'unfolded';
const app = await createApp(
  loadConfig(process.env),
  { hits },
  startVisitorThread(process.env, lowerPriority),
);
process.on('SIGTERM', () => process.exit(0));
process.stdout.write(`Linnet listens on ${app.url}\n`);
