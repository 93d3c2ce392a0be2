/** Runs in a thread of its own: the visitors' port, and everything that a plain visit needs. */

import { VisitorPlane } from './compose/visitor-plane.ts';
import type { FromVisitors, Listening, ToVisitors } from './compose/worker-protocol.ts';
import { loadConfig } from './config/load.ts';
import { ClientByPort } from './http/client-by-port.ts';
import { StartProblem } from './start-problem.ts';
import { Log } from './telemetry/log.ts';
import { collectWhenIdle } from './threads/gc-when-idle.ts';

declare const self: Worker;

const tell = (message: FromVisitors) => self.postMessage(message);
let plane: VisitorPlane | undefined;

collectWhenIdle();

self.onmessage = async ({ data: { id, errand } }: MessageEvent<ToVisitors>) => {
  try {
    tell({ kind: 'done', id, listening: await run(errand) });
  } catch (cause) {
    const { message, stack = '' } = cause as Error;
    tell({ kind: 'failed', id, problem: { message, stack, isForeseen: cause instanceof StartProblem } });
  }
};

/** Not waited for where nothing is to be waited for: changes are known before the next visit is looked at. */
function run(errand: ToVisitors['errand']): Listening | null | Promise<null> {
  if (errand.to === 'prepare') {
    const config = loadConfig(errand.environment);
    const behind = { ...errand.behind, clientByPort: new ClientByPort(errand.behind.clientByPort) };
    plane = new VisitorPlane(
      config,
      behind,
      errand.hits === null ? {} : { hits: errand.hits },
      new Log(config.logLevel),
    );
    return { port: plane.port, origin: plane.origin };
  }
  if (plane === undefined) throw new Error('nothing is prepared yet');
  const visitors = plane;
  const done = () => null;
  switch (errand.to) {
    case 'open':
      return visitors.open(errand.origin).then(() => {
        visitors.clicks.onFolded(() => tell({ kind: 'folded' }));
        return null;
      });
    case 'listen':
      visitors.listen();
      return null;
    case 'know':
      visitors.change(JSON.parse(errand.change));
      return null;
    case 'append':
      return visitors.clicks.append(errand.hit)?.then(done) ?? null;
    case 'settle':
      return visitors.clicks.settled().then(done);
    case 'tidy':
      visitors.clicks.tidy();
      return null;
    case 'stopTaking':
      return visitors.stopTaking(errand.patience).then(done);
    case 'endConnections':
      return visitors.endConnections().then(done);
    case 'close':
      return visitors.close().then(done);
  }
}
