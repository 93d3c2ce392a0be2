import { afterEach } from 'bun:test';
import { eventually } from './eventually.ts';

/** A request that a webhook's target has received. */
export interface Received {
  /** Includes the query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** When it arrived, by the system clock. */
  readonly at: number;
}

export interface WebhookTarget {
  readonly url: string;
  readonly received: readonly Received[];
  /** Waits until this many calls have arrived. */
  calls(count: number): Promise<readonly Received[]>;
  stop(): void;
}

/** A real server on a free port of the loopback. `response` gets the number of earlier calls. */
export function startTarget(
  response: (before: number, call: Received) => Response | Promise<Response> = () => new Response('thanks'),
): WebhookTarget {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const call = {
        path: pathname + search,
        headers: request.headers.toJSON(),
        body: await request.text(),
        at: Date.now(),
      };
      received.push(call);
      return response(received.length - 1, call);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    async calls(count) {
      await eventually(
        async () => received.length >= count,
        `${count} calls, of which ${received.length} came`,
      );
      return received;
    },
    stop: () => {
      server.stop(true);
    },
  };
}

/** Starts targets for the tests of a file; each is stopped after its test. */
export function targetOfEachTest(): typeof startTarget {
  const targets: WebhookTarget[] = [];
  afterEach(() => {
    for (const target of targets.splice(0)) target.stop();
  });
  return (...parameters) => {
    const target = startTarget(...parameters);
    targets.push(target);
    return target;
  };
}
