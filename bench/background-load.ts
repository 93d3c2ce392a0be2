/** Connections that visit a link until this process is killed: `bun bench/background-load.ts <port> <path> <connections> <in flight>`. */
import { requestBytes } from './request.ts';

const [port = 0, , connections = 0, inFlight = 1] = process.argv.slice(2).map(Number);
const visit = requestBytes(port, 'GET', process.argv[3] ?? '/', { 'user-agent': 'background' });
/** All responses have the same length. */
let responseLength = 0;

for (let index = 0; index < connections; index++) {
  let pending = 0;
  let received = 0;
  const unsent: Uint8Array[] = [];
  const batch = (count: number) => Buffer.concat(Array.from({ length: count }, () => visit));
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        pending = 1;
        socket.write(visit);
      },
      data(socket, bytes) {
        if (responseLength === 0) responseLength = bytes.length;
        received += bytes.length;
        const responses = Math.floor(received / responseLength);
        received -= responses * responseLength;
        pending -= responses;
        if (pending > inFlight / 2 || unsent.length > 0) return;
        const requests = batch(inFlight - pending);
        pending = inFlight;
        const written = socket.write(requests);
        if (written < requests.length) unsent.push(requests.subarray(Math.max(0, written)));
      },
      drain(socket) {
        const rest = unsent.shift();
        if (rest === undefined) return;
        const written = socket.write(rest);
        if (written < rest.length) unsent.unshift(rest.subarray(Math.max(0, written)));
      },
    },
  });
}
process.stdout.write('all connected\n');
