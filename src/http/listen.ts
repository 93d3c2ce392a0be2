import type { Server } from 'bun';
import type { Config } from '../config/options.ts';
import { StartProblem } from '../start-problem.ts';

type Answer = Response | Promise<Response>;
export type Front = (request: Request, server: Server<undefined>) => Answer;

/** Far above every limit that an endpoint sets: those are checked before a byte is read, and say so in words. */
const largestBody = 1024 * 1024 * 1024;
const idleSeconds = 10;
const drainDeadline = 10_000;

/** Takes the port at once, so that a taken one is known first, and answers 503 until the rest is up. */
export function listen(config: Pick<Config, 'port' | 'host'>, onFault: (cause: unknown) => void) {
  let front: Front = () => new Response('Starting.\n', { status: 503, headers: { 'retry-after': '1' } });
  try {
    const server: Server<undefined> = Bun.serve({
      port: config.port,
      hostname: config.host,
      idleTimeout: idleSeconds,
      maxRequestBodySize: largestBody,
      fetch: (request, server) => front(request, server),
      error: (cause) => {
        onFault(cause);
        return Response.json(
          {
            status_code: 500,
            error_code: 'INTERNAL',
            error_string: 'Something failed on our side. It was logged.',
          },
          { status: 500 },
        );
      },
    });
    return {
      server,
      port: server.port ?? config.port,
      open: (answer: Front) => {
        front = answer;
      },
    };
  } catch (cause) {
    throw new StartProblem(whyNot(config, cause));
  }
}

function whyNot({ port, host }: Pick<Config, 'port' | 'host'>, cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken. Stop what uses it, or choose another, such as PORT=${port < 65535 ? port + 1 : 3000} npm start.`;
  if (code === 'EACCES') return `Port ${port} needs more rights than this user has. Choose one above 1023.`;
  return `Listening on ${host}:${port} failed: ${message ?? code}. Check HOST and PORT.`;
}

/** Lets requests that are under way finish, within a deadline, and takes no new ones. */
export async function drain(server: Server<undefined>): Promise<void> {
  let deadline: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    deadline = setTimeout(resolve, drainDeadline);
  });
  await Promise.race([server.stop(), late]);
  clearTimeout(deadline);
  await server.stop(true);
}
