/** Below the ephemeral ports, so that no other program gets one of these before it is used. */
const lowest = 15_000;
const count = 17_000;

/** Free ports, for programs that can't choose one themselves. */
export const freePorts = (wanted: number): number[] => {
  const listeners = Array.from({ length: wanted }, listenAnywhere);
  const ports = listeners.map(({ port }) => port);
  for (const listener of listeners) listener.stop(true);
  return ports;
};

function listenAnywhere() {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * count);
    try {
      return Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'EADDRINUSE') throw cause;
    }
  }
}
