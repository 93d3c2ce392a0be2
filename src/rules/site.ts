import { asUri } from './destinations/destination-text.ts';
import { isLoopbackName, isThisMachine, normaliseHostname } from './host.ts';

/** Everything about addresses that follows from BASE_URL. */
export class Site {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly defaultHost: string;
  /** A trial on one's own machine: the base address is a loopback one. */
  readonly isTrial: boolean;
  readonly isSecure: boolean;
  readonly #port: string;

  constructor(base: URL) {
    this.origin = base.origin;
    this.defaultHost = normaliseHostname(base.hostname);
    this.isTrial = isLoopbackName(this.defaultHost);
    this.isSecure = base.protocol === 'https:';
    this.#port = base.port;
  }

  /** The `domain` of a link; null stands for the default domain. */
  domainUrl(host: string | null): string {
    const scheme = this.isSecure ? 'https' : 'http';
    return `${scheme}://${host ?? this.defaultHost}${this.#port ? `:${this.#port}` : ''}`;
  }

  /** A link's address as a URI: non-ASCII text in its suffix is percent-encoded. */
  linkUrl(host: string | null, suffix: string): string {
    return asUri(this.readableUrl(host, suffix));
  }

  /** The same address as people write it, which a QR code contains: a long one would not fit if encoded. */
  readableUrl(host: string | null, suffix: string): string {
    return `${this.domainUrl(host)}/${suffix}`;
  }

  isDefaultHost(name: string): boolean {
    return name === this.defaultHost || (this.isTrial && isLoopbackName(name));
  }

  /**
   * Whether an address leads to the default domain. On a trial's machine other services have the same names, so there the port
   * counts too.
   */
  leadsToUs(url: URL): boolean {
    const name = normaliseHostname(url.hostname);
    if (this.isTrial)
      return isThisMachine(name) && portOf(url) === (this.#port || (this.isSecure ? '443' : '80'));
    return name === this.defaultHost;
  }
}

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80');
