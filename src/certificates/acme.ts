import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { AcmeProblem, problemOf } from './acme-problem.ts';

export interface AcmeSettings {
  /** The address of the authority's directory. */
  readonly url: string;
  readonly email: string | null;
  /** An account that the authority has issued by other means. */
  readonly externalAccount: { readonly id: string; readonly key: string } | null;
  /** PEM of the CAs to trust for the authority's own certificate; null for the default ones. */
  readonly trusted: string | null;
}

interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  readonly renewalInfo?: string;
}

export interface Order {
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  readonly authorizations: readonly string[];
  readonly finalize: string;
  readonly certificate?: string;
  readonly error?: unknown;
}

export interface Challenge {
  readonly type: string;
  readonly url: string;
  readonly token: string;
  readonly status: string;
  readonly error?: unknown;
}

export interface Authorization {
  readonly status: string;
  readonly challenges: readonly Challenge[];
}

export interface Answer<Body> {
  readonly body: Body;
  readonly location: string | null;
  readonly retryAt: number | null;
}

const timeout = 20_000;
const maxRepeats = { lost: 5, badNonce: 10 };
const maxAnswer = 1024 * 1024;

const base64 = (value: string | Uint8Array | object): string =>
  Buffer.from(
    typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value),
  ).toString('base64url');

/** The key's public part for its messages (RFC 7638: its members in this order). */
const publicJwk = (key: KeyObject): Record<string, string> => {
  const { crv = '', kty = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
};

/** The messages of ACME (RFC 8555), each signed with the account's key. */
export class Acme {
  readonly #settings: AcmeSettings;
  readonly #key: KeyObject;
  readonly #now: () => number;
  readonly #stop: AbortSignal;
  #directory: Directory | null = null;
  #account: string | null;
  #nonce: string | null = null;

  constructor(
    settings: AcmeSettings,
    { key, account }: { readonly key: string; readonly account: string | null },
    now: () => number,
    stop: AbortSignal,
  ) {
    this.#settings = settings;
    this.#key = createPrivateKey(key);
    this.#account = account;
    this.#now = now;
    this.#stop = stop;
  }

  /** The key authorization for a token (RFC 8555, 8.1). */
  keyAuthorizationFor(token: string): string {
    const thumbprint = createHash('sha256')
      .update(JSON.stringify(publicJwk(this.#key)))
      .digest('base64url');
    return `${token}.${thumbprint}`;
  }

  /** Creates the account, or finds the one with this key. Agrees to the authority's terms. Returns its address. */
  async register(): Promise<string> {
    if (this.#account !== null) return this.#account;
    const { email, externalAccount } = this.#settings;
    const { newAccount } = await this.#findDirectory();
    const payload = {
      termsOfServiceAgreed: true,
      ...(email === null ? {} : { contact: [`mailto:${email}`] }),
      ...(externalAccount === null
        ? {}
        : { externalAccountBinding: this.#bind(externalAccount, newAccount) }),
    };
    const { location } = await this.post<unknown>(newAccount, payload, 'by key');
    if (location === null) throw new AcmeProblem('refused', 'the account has no address');
    this.#account = location;
    return location;
  }

  /** Creates an order for one name. `replaces` names the certificate that it replaces (RFC 9773). */
  async order(host: string, replaces: string | null): Promise<Answer<Order> & { readonly location: string }> {
    const { newOrder, renewalInfo } = await this.#findDirectory();
    const identifiers = [{ type: 'dns', value: host }];
    const replacement = replaces === null || renewalInfo === undefined ? {} : { replaces };
    const created = await this.post<Order>(newOrder, { identifiers, ...replacement });
    if (created.location === null) throw new AcmeProblem('refused', 'the order has no address');
    return { ...created, location: created.location };
  }

  read<Body>(url: string): Promise<Answer<Body>> {
    return this.post<Body>(url, null);
  }

  /** When the authority would like a certificate to be renewed; null if it doesn't say. */
  async renewalWindow(
    certificateId: string,
  ): Promise<{ readonly from: number; readonly until: number; readonly checkAgainAt: number | null } | null> {
    const { renewalInfo } = await this.#findDirectory();
    if (renewalInfo === undefined) return null;
    const response = await this.#send(`${renewalInfo}/${certificateId}`, {});
    if (!response.ok) return null;
    const { suggestedWindow } = JSON.parse(await this.#text(response)) as {
      suggestedWindow?: { start: string; end: string };
    };
    const [from, until] = [Date.parse(suggestedWindow?.start ?? ''), Date.parse(suggestedWindow?.end ?? '')];
    return from <= until ? { from, until, checkAgainAt: this.#retryAt(response) } : null;
  }

  async #findDirectory(): Promise<Directory> {
    if (this.#directory !== null) return this.#directory;
    const response = await this.#send(this.#settings.url, {});
    const found = response.ok ? parsed(await this.#text(response)) : null;
    const { newNonce, newAccount, newOrder } = (found ?? {}) as Partial<Directory>;
    if (newNonce === undefined || newAccount === undefined || newOrder === undefined)
      throw new AcmeProblem('authority_away', `no directory at ${this.#settings.url} (${response.status})`);
    this.#directory = found as Directory;
    return this.#directory;
  }

  /**
   * Lost messages are sent again: read-only ones may be repeated, an order whose answer was lost expires, and a challenge that
   * was announced twice is validated once.
   */
  async post<Body>(
    url: string,
    payload: object | null,
    by: 'by account' | 'by key' = 'by account',
  ): Promise<Answer<Body>> {
    const left = { ...maxRepeats };
    for (;;) {
      try {
        return await this.#postOnce<Body>(url, payload, by);
      } catch (cause) {
        const type = cause instanceof AcmeProblem ? cause.type : '';
        if ((type !== 'lost' && type !== 'badNonce') || left[type]-- === 0 || this.#stop.aborted) throw cause;
        if (type === 'lost') await Bun.sleep((maxRepeats.lost - left.lost) * 250);
      }
    }
  }

  async #postOnce<Body>(
    url: string,
    payload: object | null,
    by: 'by account' | 'by key',
  ): Promise<Answer<Body>> {
    const signer = by === 'by key' ? { jwk: publicJwk(this.#key) } : { kid: await this.register() };
    const nonce = await this.#takeNonce();
    const header = base64({ alg: 'ES256', nonce, url, ...signer });
    const body = payload === null ? '' : base64(payload);
    const signature = sign('sha256', Buffer.from(`${header}.${body}`), {
      key: this.#key,
      dsaEncoding: 'ieee-p1363',
    });
    const response = await this.#send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/jose+json' },
      body: JSON.stringify({ protected: header, payload: body, signature: base64(signature) }),
    });
    this.#nonce = response.headers.get('replay-nonce');
    const text = await this.#text(response);
    const retryAt = this.#retryAt(response);
    if (response.status >= 500 && retryAt === null)
      throw new AcmeProblem('authority_away', `the authority answers ${response.status}`, 'lost');
    if (!response.ok) throw problemOf(parsed(text), response.status, retryAt);
    const isText = response.headers.get('content-type')?.includes('pem') === true;
    return {
      body: (isText ? text : parsed(text)) as Body,
      location: response.headers.get('location'),
      retryAt,
    };
  }

  async #takeNonce(): Promise<string> {
    const kept = this.#nonce;
    this.#nonce = null;
    if (kept !== null) return kept;
    const { newNonce } = await this.#findDirectory();
    const nonce = (await this.#send(newNonce, { method: 'HEAD' })).headers.get('replay-nonce');
    if (nonce === null) throw new AcmeProblem('authority_away', 'the authority gives no nonce', 'lost');
    return nonce;
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, {
        ...init,
        redirect: 'manual',
        headers: { 'user-agent': 'linnet', ...(init.headers as Record<string, string>) },
        signal: AbortSignal.any([this.#stop, AbortSignal.timeout(timeout)]),
        ...(this.#settings.trusted === null ? {} : { tls: { ca: this.#settings.trusted } }),
      });
    } catch (cause) {
      throw new AcmeProblem('authority_away', (cause as Error).message, 'lost');
    }
  }

  async #text(response: Response): Promise<string> {
    const text = await response.text().catch((cause: Error) => {
      throw new AcmeProblem('authority_away', cause.message, 'lost');
    });
    if (text.length > maxAnswer) throw new AcmeProblem('refused', 'the answer is too long');
    return text;
  }

  #retryAt({ headers }: Response): number | null {
    const retryAfter = headers.get('retry-after');
    if (retryAfter === null) return null;
    const at = /^\d+$/.test(retryAfter) ? this.#now() + Number(retryAfter) * 1000 : Date.parse(retryAfter);
    return Number.isFinite(at) ? at : null;
  }

  #bind({ id, key }: { readonly id: string; readonly key: string }, url: string): object {
    const header = base64({ alg: 'HS256', kid: id, url });
    const payload = base64(publicJwk(this.#key));
    const signature = createHmac('sha256', Buffer.from(key, 'base64url'))
      .update(`${header}.${payload}`)
      .digest();
    return { protected: header, payload, signature: base64(signature) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
