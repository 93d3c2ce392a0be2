import type { ConnectionContext } from '../../src/visit/connection/connection.ts';
import { Guard } from '../../src/visit/connection/guard.ts';

/** The context of a connection whose requests need no app server, with some parts replaced. An exception is thrown on. */
export const connectionContext = (
  parts: Pick<ConnectionContext, 'fastPath'> & Partial<ConnectionContext>,
): ConnectionContext => ({
  connectUpstream: () => {
    throw new Error('a request is passed on to the app server');
  },
  guard: new Guard((cause) => {
    throw cause;
  }),
  scheme: null,
  headEnd: () => '\r\n',
  nextId: () => '',
  note: null,
  tickStart: () => performance.now(),
  answered: () => {},
  draining: { isOn: false },
  awaitTickEnd: () => {},
  awaitNextTick: () => {},
  ...parts,
});
