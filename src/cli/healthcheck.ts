import { loadConfig } from '../config/load.ts';
import { refuseArguments, type StandaloneCommand } from './command.ts';

/** Milliseconds. A health check is repeated soon. */
const timeout = 4_000;

/** For containers without other programs: whether the server with these settings answers on this machine. */
export const healthcheck: StandaloneCommand = {
  name: 'healthcheck',
  usage: 'healthcheck [--ready]   (whether the server on this machine answers; --ready: its database too)',
  options: { ready: { type: 'boolean' } },
  async run(call) {
    refuseArguments(call);
    const { environment, values } = call;
    const { host, port, httpPort, https, baseUrl } = loadConfig(environment);
    // The second port needs no certificate, which may not have been issued yet.
    const isPlain = https === 'off' || httpPort !== null;
    const localHost =
      host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
    const path = values.ready === true ? 'readyz' : 'healthz';
    const url = `${isPlain ? 'http' : 'https'}://${localHost}:${https === 'off' ? port : (httpPort ?? port)}/${path}`;
    const found = await stateOf(url, isPlain ? null : (baseUrl?.host ?? null));
    process[found === 'ok' ? 'stdout' : 'stderr'].write(`${url}: ${found}\n`);
    return found === 'ok' ? 0 : 1;
  },
};

/** Over TLS the server is addressed by its name; its certificate isn't verified here. */
async function stateOf(url: string, name: string | null): Promise<string> {
  const requestOptions = name === null ? {} : { headers: { host: name }, tls: { rejectUnauthorized: false } };
  try {
    const signal = AbortSignal.timeout(timeout);
    // A proxy for calls to other machines, which HTTP_PROXY may name, doesn't reach this one.
    const answer = await fetch(url, { signal, redirect: 'manual', proxy: false, ...requestOptions });
    return answer.ok ? 'ok' : `status ${answer.status}`;
  } catch (cause) {
    return (cause as Error).name === 'TimeoutError'
      ? `no answer in ${timeout / 1000} seconds`
      : 'nothing answers';
  }
}
