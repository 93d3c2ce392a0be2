/** Below the ephemeral ports, so that no other program gets one of these before it is used. */
const lowestPort = 15_000;
const portCount = 17_000;

/** Free ports, for programs that can't choose one themselves. */
export const freePorts = (count: number): number[] => {
  const listeners = Array.from({ length: count }, listenAnywhere);
  const ports = listeners.map(({ port }) => port);
  for (const listener of listeners) listener.stop(true);
  return ports;
};

function listenAnywhere() {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * portCount);
    try {
      return Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'EADDRINUSE') throw cause;
    }
  }
}
