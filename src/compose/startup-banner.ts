import { isIP } from 'node:net';
import { shellCommand } from '../bundle/shell-command.ts';
import type { Config } from '../config/options.ts';
import { isLoopbackName } from '../rules/host.ts';
import { Site } from '../rules/site.ts';

export interface StartupBanner {
  /** The public address. */
  readonly url: string;
  readonly config: Pick<Config, 'host' | 'baseUrl'>;
  readonly port: string;
  /** Null once there is an account. */
  readonly setupToken: string | null;
  /** Some of the text is for a terminal only, and must not be in a log. */
  readonly isTerminal: boolean;
  /** This machine's addresses on the network. */
  readonly addresses: readonly string[];
}

/** The text printed at a start: the address, and the next step. */
export function startupBanner(start: StartupBanner): string {
  const { setupToken } = start;
  const url = usedUrl(start);
  const lines =
    setupToken === null
      ? [...unreachableNotice(start), `The interface is described at ${url}/docs`]
      : [
          'There is no account yet. Open that address in a browser to make the first one.',
          ...remoteSetup(start, setupToken),
          `The interface for programs is described at ${url}/docs`,
        ];
  return `Linnet listens on ${url}\n\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function remoteSetup(start: StartupBanner, setupToken: string): string[] {
  const { config, isTerminal, port } = start;
  const token = isTerminal
    ? `The setup token, which works once: ${setupToken}`
    : `This shows the setup token: ${shellCommand('setup token')}`;
  if (config.baseUrl !== null || !isTrial(start)) return [`The page may ask for the setup token. ${token}`];
  if (isLoopbackName(config.host)) {
    return [
      'Only this machine reaches it. To let others in, set HOST, and BASE_URL to the address that they are to use;',
      `through a proxy, too, the page asks for the setup token. ${token}`,
    ];
  }
  const urls = reachableAddresses(start).map((address) => `http://${address}:${port}`);
  return [
    `From another machine open ${urls[0] ?? `http://<the address of this machine>:${port}`}: there you can set the address that people are to use.`,
    `(Or set it beforehand, as BASE_URL.) The page asks for the setup token. ${token}`,
  ];
}

/** Listening is not enough: links and pages are only served under the service's own address. */
function unreachableNotice(start: StartupBanner): string[] {
  const { config } = start;
  if (config.baseUrl !== null || !isTrial(start) || isLoopbackName(config.host)) return [];
  return [
    'Other machines find nothing here yet: set BASE_URL to the address that people use, such as',
    `http://${reachableAddresses(start)[0] ?? 'links.example.com'}:${start.port} or https://links.example.com, and start again.`,
  ];
}

/** If Linnet listens on one address of the network only, nothing answers at a loopback one. */
function usedUrl(start: StartupBanner): string {
  const { url, config, port } = start;
  const isOpen = ['0.0.0.0', '::'].includes(config.host) || isLoopbackName(config.host);
  if (config.baseUrl !== null || !isTrial(start) || isOpen) return url;
  return `http://${reachableAddresses(start)[0] ?? config.host}:${port}`;
}

const isTrial = ({ url }: StartupBanner): boolean => new Site(new URL(url)).isTrial;

function reachableAddresses({ config, addresses }: StartupBanner): readonly string[] {
  const open = ['0.0.0.0', '::'].includes(config.host) ? addresses : [config.host];
  return open.map((address) => (isIP(address) === 6 ? `[${address}]` : address));
}
