/** Connections that visit a link until this process is killed: `bun bench/background-load.ts <port> <path> <connections> <in flight>`. */
import { requestBytes } from './request.ts';

const [port = 0, , connections = 0, inFlight = 1] = process.argv.slice(2).map(Number);
const visit = requestBytes(port, 'GET', process.argv[3] ?? '/', { 'user-agent': 'background' });
/** All responses have the same length. */
let answerLength = 0;

for (let index = 0; index < connections; index++) {
  let owed = 0;
  let received = 0;
  const waiting: Uint8Array[] = [];
  const batch = (count: number) => Buffer.concat(Array.from({ length: count }, () => visit));
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        owed = 1;
        socket.write(visit);
      },
      data(socket, bytes) {
        if (answerLength === 0) answerLength = bytes.length;
        received += bytes.length;
        const answers = Math.floor(received / answerLength);
        received -= answers * answerLength;
        owed -= answers;
        if (owed > inFlight / 2 || waiting.length > 0) return;
        const more = batch(inFlight - owed);
        owed = inFlight;
        const taken = socket.write(more);
        if (taken < more.length) waiting.push(more.subarray(Math.max(0, taken)));
      },
      drain(socket) {
        const rest = waiting.shift();
        if (rest === undefined) return;
        const taken = socket.write(rest);
        if (taken < rest.length) waiting.unshift(rest.subarray(Math.max(0, taken)));
      },
    },
  });
}
process.stdout.write('all connected\n');
