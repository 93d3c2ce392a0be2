/**
 * Sends requests at a fixed rate, whether or not responses keep up, and measures each latency from when the request was due, so that
 * a pause of the server counts for every request of that time. Takes its settings as one JSON argument, and prints the result as
 * JSON, in microseconds.
 */
import { AnswerReader } from '../answer-reader.ts';
import { percentile } from '../figures.ts';
import { requestBytes } from '../request.ts';
import { browserHeaders } from './browser-headers.ts';

export interface Rate {
  readonly port: number;
  readonly path: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

export interface Latencies {
  readonly answered: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const rate: Rate = JSON.parse(process.argv[2] ?? '{}');
const request = requestBytes(rate.port, 'GET', rate.path, browserHeaders);
const idle: Bun.Socket<Connection>[] = [];
const latencies: number[] = [];
const total = Math.floor(rate.perSecond * rate.seconds);
const gap = 1000 / rate.perSecond;
let sent = 0;
let startedAt = 0;

interface Connection {
  readonly reader: AnswerReader;
  due: number;
}

await Promise.all(
  Array.from({ length: rate.connections }, async () => {
    const data: Connection = { reader: new AnswerReader(), due: 0 };
    const socket = await Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port: rate.port,
      data,
      socket: {
        data(socket, chunk) {
          const connection = socket.data;
          if (!connection.reader.take(chunk)) return;
          if (connection.reader.status !== 302) fail(`the server answered ${connection.reader.status}`);
          latencies.push(performance.now() - connection.due);
          idle.push(socket);
        },
        close: () => fail('the server closed a connection'),
        error: (_, cause) => fail(cause.message),
      },
    });
    idle.push(socket);
  }),
);
startedAt = performance.now();
sendDue();

/** Sends all due requests, then handles responses, and repeats: no timer is precise enough for this. */
function sendDue(): void {
  const elapsed = performance.now() - startedAt;
  while (sent < total && sent * gap <= elapsed && idle.length > 0) {
    const socket = idle.shift() as Bun.Socket<Connection>;
    socket.data.due = startedAt + sent * gap;
    sent++;
    socket.write(request);
  }
  if (latencies.length < total) setImmediate(sendDue);
  else finish();
}

function finish(): never {
  latencies.sort((one, other) => one - other);
  const microseconds = (percent: number) => percentile(latencies, percent) * 1000;
  const result: Latencies = {
    answered: latencies.length,
    p50: microseconds(50),
    p99: microseconds(99),
    most: microseconds(100),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
