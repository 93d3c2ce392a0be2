import type { Socket, SocketListener } from 'bun';
import { type ListenAddress, portOf, type Receiver, type VisitorPort } from '../connection/port.ts';
import { HandshakeQueue } from './handshake-queue.ts';
import {
  type CertificatePair,
  nodeTls,
  type SecureContext,
  secureContextOf,
  tlsSettings,
} from './secure-context.ts';

/** Finds the certificate for a host name; null for a name without one. */
export type FindContext = (
  name: string,
  address: string,
) => SecureContext | null | Promise<SecureContext | null>;

/** The socket of a handshake, as the runtime passes it to the SNI callback. */
interface Handshake<Connection> {
  readonly data: Connection;
  readonly remoteAddress: string;
  /** Continues a handshake whose callback has returned true. `isRefused` lets it fail. */
  resumeSNI(context: SecureContext | undefined, isRefused: boolean): void;
}

/** In order of preference, each with its length in front: certificate authorities use the second one (RFC 8737). */
const protocols = Buffer.from('\x08http/1.1\x0aacme-tls/1', 'latin1');

/**
 * A port with TLS. `node:tls` is built on these same callbacks, which `Bun.listen` takes as well; its streams would make a
 * redirect cost a third more (docs/decisions/2026-11-23-tls.md).
 */
export class TlsPort {
  readonly #find: FindContext | null;
  #fallback: SecureContext;
  #listener: SocketListener<unknown> | null = null;

  /** `fallback` serves clients that name no host, and all clients if there is no `find`. */
  constructor(fallback: CertificatePair | null, find: FindContext | null = null) {
    this.#fallback = secureContextOf(fallback);
    this.#find = find;
  }

  readonly open = <Connection>(address: ListenAddress, receiver: Receiver<Connection>): VisitorPort => {
    const find = this.#find;
    const handshakes = new HandshakeQueue();
    const options = {
      ...address,
      allowHalfOpen: true,
      tls: { secureContext: this.#fallback, ALPNProtocols: protocols },
      socket: {
        open: (socket: Socket<Connection>) => {
          handshakes.enter(socket);
          socket.data = receiver.opened(socket);
        },
        // With this callback a socket is opened, and counted, when it is accepted; without it, only after its handshake.
        handshake: () => {},
        data: ({ data }: Socket<Connection>, bytes: Buffer) => receiver.received(data, bytes),
        drain: ({ data }: Socket<Connection>) => receiver.drained(data),
        end: ({ data }: Socket<Connection>) => receiver.ended(data),
        close: ({ data }: Socket<Connection>) => receiver.closed(data),
        error: ({ data }: Socket<Connection>, cause: Error) => receiver.failed(data, cause),
        ...(find === null ? {} : { serverName: serverNameOf(find, receiver) }),
      },
    };
    const listener = Bun.listen<Connection>(options as unknown as Bun.TCPSocketListenOptions<Connection>);
    this.#listener = listener as SocketListener<unknown>;
    return portOf(listener as Bun.TCPSocketListener<Connection>);
  };

  /** Takes effect from the next handshake on. Open connections keep the old one. */
  use(pair: CertificatePair): void {
    this.#fallback = secureContextOf(pair);
    if (this.#listener !== null) replaceContext(this.#listener, pair);
  }
}

const refused = new Error('no certificate for this name');

const serverNameOf =
  <Connection>(find: FindContext, receiver: Receiver<Connection>) =>
  (_: unknown, name: string, handshake: Handshake<Connection>) => {
    const found = find(name, handshake.remoteAddress);
    if (!(found instanceof Promise)) return found ?? refused;
    receiver.handshakeWaits(handshake.data);
    found.then(
      (context) => handshake.resumeSNI(context ?? undefined, context === null),
      () => handshake.resumeSNI(undefined, true),
    );
    return true;
  };

/** `Bun.listen` has no call for this, but a `node:tls` server has one for its listener. */
function replaceContext(listener: SocketListener<unknown>, { certificate, key }: CertificatePair): void {
  const server = nodeTls().createServer();
  Object.assign(server, { _handle: listener });
  server.setSecureContext({ ...tlsSettings, cert: certificate, key });
  Object.assign(server, { _handle: null });
}
