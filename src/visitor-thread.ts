/** The thread of the data plane: the visitors' port, and everything that a plain visit needs. */

import { LocalDataPlane } from './compose/local-data-plane.ts';
import { threadMetrics } from './compose/thread-metrics.ts';
import type { CallName, FromDataPlane, ThreadCalls, ToDataPlane } from './compose/visitor-thread-protocol.ts';
import { loadConfig } from './config/load.ts';
import { ClientByPort } from './http/client-by-port.ts';
import { StartProblem } from './start-problem.ts';
import { Log } from './telemetry/log.ts';
import { collectWhenIdle } from './threads/gc-when-idle.ts';

declare const self: Worker;

const post = (message: FromDataPlane) => self.postMessage(message);
let prepared: LocalDataPlane | undefined;
let log = new Log('info');

collectWhenIdle();

self.onmessage = async <Name extends CallName>({ data }: MessageEvent<ToDataPlane<Name>>) => {
  const { id, name, args } = data;
  try {
    post({ kind: 'done', id, result: await calls[name](...args) });
  } catch (cause) {
    const { message, stack = '' } = cause as Error;
    post({ kind: 'failed', id, problem: { message, stack, isForeseen: cause instanceof StartProblem } });
  }
};

function plane(): LocalDataPlane {
  if (prepared === undefined) throw new Error('nothing is prepared yet');
  return prepared;
}

/** Synchronous wherever possible: a change is applied before the next visit is read. */
const calls: ThreadCalls = {
  prepare(environment, { clientByPort, ...rest }, hits) {
    const config = loadConfig(environment);
    log = new Log(config.logLevel);
    const appServer = { ...rest, clientByPort: new ClientByPort(clientByPort) };
    prepared = new LocalDataPlane(config, appServer, hits === undefined ? {} : { hits }, log);
    prepared.onCertificateRequested((host) => post({ kind: 'certificateRequested', host }));
    return { port: prepared.port, httpPort: prepared.httpPort, origin: prepared.origin };
  },
  async open(origin, saltKey) {
    await plane().open(origin, saltKey);
    plane().clicks.onFolded(() => post({ kind: 'folded' }));
  },
  listen: () => plane().listen(),
  change: (json) => plane().change(JSON.parse(json)),
  append: async (hit) => void (await plane().clicks.append(hit)),
  settled: () => plane().clicks.settled(),
  cleanUp: () => plane().clicks.cleanUp(),
  measure: async () => [...(await plane().measure()), ...threadMetrics(log)],
  takeNotFound: () => plane().takeNotFound(),
  drain: () => plane().drain(),
  stopAccepting: (timeout) => plane().stopAccepting(timeout),
  endConnections: () => plane().endConnections(),
  close: () => plane().close(),
};
