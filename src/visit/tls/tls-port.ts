import type { Socket, SocketListener } from 'bun';
import { holdOffNewcomers } from '../connection/hold-off-newcomers.ts';
import type { Receiver, VisitorPort } from '../connection/port.ts';
import { HandshakeTurns } from './handshake-turns.ts';
import {
  type CertificatePair,
  nodeTls,
  type SecureContext,
  secureContextOf,
  tlsSettings,
} from './secure-context.ts';

/** The certificate that a name is served with; null for a name that gets none. */
export type FindContext = (
  name: string,
  address: string,
) => SecureContext | null | Promise<SecureContext | null>;

interface TlsListener {
  readonly hostname: string;
  readonly port: number;
  readonly reusePort: boolean;
}

/** The handshake, as the runtime shows it to the callback for a name. */
interface Handshake {
  readonly remoteAddress: string;
  /** Goes on with a handshake for which the callback has returned true; false for one that fails. */
  resumeSNI(context: SecureContext | undefined, isRefused: boolean): void;
}

/** In the order of our preference, each with its length before it: the second is how a certificate authority asks (RFC 8737). */
const protocols = Buffer.from('\x08http/1.1\x0aacme-tls/1', 'latin1');

/**
 * A port that speaks TLS. `node:tls` is built of these same callbacks, which `Bun.listen` takes as well; its streams would
 * make a redirect cost a third more (docs/decisions/2026-11-23-tls.md).
 */
export class TlsPort {
  readonly #find: FindContext | null;
  #fallback: SecureContext;
  #listener: SocketListener<unknown> | null = null;

  /** `fallback` is for clients that name no host, and for all where there is no `find`. */
  constructor(fallback: CertificatePair | null, find: FindContext | null = null) {
    this.#fallback = secureContextOf(fallback);
    this.#find = find;
  }

  readonly open = <Connection>(address: TlsListener, receiver: Receiver<Connection>): VisitorPort => {
    const find = this.#find;
    const turns = new HandshakeTurns();
    const options = {
      ...address,
      allowHalfOpen: true,
      tls: { secureContext: this.#fallback, ALPNProtocols: protocols },
      socket: {
        open: (socket: Socket<Connection>) => {
          turns.enter(socket);
          socket.data = receiver.opened(socket);
        },
        // With it a socket is opened as soon as it is there, and counts: without, only after its handshake.
        handshake: () => {},
        data: ({ data }: Socket<Connection>, bytes: Buffer) => receiver.received(data, bytes),
        drain: ({ data }: Socket<Connection>) => receiver.drained(data),
        end: ({ data }: Socket<Connection>) => receiver.ended(data),
        close: ({ data }: Socket<Connection>) => receiver.closed(data),
        error: ({ data }: Socket<Connection>, cause: Error) => receiver.failed(data, cause),
        ...(find === null ? {} : { serverName: serverNameOf(find) }),
      },
    };
    const listener = Bun.listen<Connection>(options as unknown as Bun.TCPSocketListenOptions<Connection>);
    this.#listener = listener as SocketListener<unknown>;
    return {
      port: (listener as Bun.TCPSocketListener).port,
      afterTurn: (task) => void setImmediate(task),
      holdOff: () => holdOffNewcomers((listener as { readonly fd?: number }).fd ?? -1),
      stop: () => listener.stop(),
      close: () => listener.stop(true),
    };
  };

  /** From the next handshake on. Connections that are open stay as they are. */
  use(pair: CertificatePair): void {
    this.#fallback = secureContextOf(pair);
    if (this.#listener !== null) replaceContext(this.#listener, pair);
  }
}

const refused = new Error('no certificate for this name');

const serverNameOf = (find: FindContext) => (_: unknown, name: string, handshake: Handshake) => {
  const found = find(name, handshake.remoteAddress);
  if (!(found instanceof Promise)) return found ?? refused;
  found.then(
    (context) => handshake.resumeSNI(context ?? undefined, context === null),
    () => handshake.resumeSNI(undefined, true),
  );
  return true;
};

/** `Bun.listen` has no call for it, but a server of `node:tls` has one for the listener that it holds. */
function replaceContext(listener: SocketListener<unknown>, { certificate, key }: CertificatePair): void {
  const server = nodeTls().createServer();
  Object.assign(server, { _handle: listener });
  server.setSecureContext({ ...tlsSettings, cert: certificate, key });
  Object.assign(server, { _handle: null });
}
