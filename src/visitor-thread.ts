/** The thread of the data plane: the visitors' port, and everything that a plain visit needs. */

import { LocalDataPlane } from './compose/local-data-plane.ts';
import { threadMetrics } from './compose/thread-metrics.ts';
import type { FromDataPlane, TaskAnswer, ToDataPlane } from './compose/visitor-thread-protocol.ts';
import { loadConfig } from './config/load.ts';
import { ClientByPort } from './http/client-by-port.ts';
import { StartProblem } from './start-problem.ts';
import { Log } from './telemetry/log.ts';
import { collectWhenIdle } from './threads/gc-when-idle.ts';

declare const self: Worker;

const post = (message: FromDataPlane) => self.postMessage(message);
let plane: LocalDataPlane | undefined;
let log = new Log('info');

collectWhenIdle();

self.onmessage = async ({ data: { id, task } }: MessageEvent<ToDataPlane>) => {
  try {
    post({ kind: 'done', id, answer: await run(task) });
  } catch (cause) {
    const { message, stack = '' } = cause as Error;
    post({ kind: 'failed', id, problem: { message, stack, isForeseen: cause instanceof StartProblem } });
  }
};

/** Synchronous wherever possible: a change is applied before the next visit is read. */
function run(task: ToDataPlane['task']): TaskAnswer | Promise<TaskAnswer> {
  if (task.kind === 'prepare') {
    const config = loadConfig(task.environment);
    log = new Log(config.logLevel);
    const appServer = { ...task.appServer, clientByPort: new ClientByPort(task.appServer.clientByPort) };
    plane = new LocalDataPlane(config, appServer, task.hits === null ? {} : { hits: task.hits }, log);
    plane.onCertificateRequested((host) => post({ kind: 'certificateRequested', host }));
    return { listening: { port: plane.port, httpPort: plane.httpPort, origin: plane.origin } };
  }
  if (plane === undefined) throw new Error('nothing is prepared yet');
  const dataPlane = plane;
  const done = (): TaskAnswer => ({});
  switch (task.kind) {
    case 'open':
      return dataPlane.open(task.origin, task.saltKey).then(() => {
        dataPlane.clicks.onFolded(() => post({ kind: 'folded' }));
        return done();
      });
    case 'listen':
      dataPlane.listen();
      return done();
    case 'change':
      dataPlane.change(JSON.parse(task.change));
      return done();
    case 'append':
      return dataPlane.clicks.append(task.hit)?.then(done) ?? done();
    case 'settle':
      return dataPlane.clicks.settled().then(done);
    case 'cleanUp':
      dataPlane.clicks.cleanUp();
      return done();
    case 'measure':
      return dataPlane.measure().then((metrics) => ({ metrics: [...metrics, ...threadMetrics(log)] }));
    case 'takeNotFound':
      return dataPlane.takeNotFound().then((notFound) => ({ notFound }));
    case 'drain':
      dataPlane.drain();
      return done();
    case 'stopAccepting':
      return dataPlane.stopAccepting(task.timeout).then(done);
    case 'endConnections':
      return dataPlane.endConnections().then(done);
    case 'close':
      return dataPlane.close().then(done);
  }
}
