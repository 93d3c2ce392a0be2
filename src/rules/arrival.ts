/** How a request reached the service: this shows what proxies do with it. */
export interface Arrival {
  /** The visitor's address, after the trusted proxies. */
  readonly client: string;
  /** Whether the proxy that passed the request on is a trusted one; undefined from an earlier version. */
  readonly isProxyTrusted?: boolean;
  /** Header fields by name, as they arrived; missing ones are left out. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The path that returns it, to clients with the signing key. */
export const arrivalPath = '/internal/arrival';
export const arrivalHeader = 'linnet-check';
/** A browser's header, sent to see whether it arrives. */
export const probeHeader = 'sec-fetch-mode';

export const arrivalHeaders = [
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'via',
  probeHeader,
] as const;

/** Milliseconds. */
const signatureLife = 60_000;

interface Signer {
  sign(purpose: 'arrival', text: string): string;
  verify(purpose: 'arrival', text: string, signature: string): boolean;
}

export const signArrival = (secrets: Pick<Signer, 'sign'>, now: number): string =>
  `${now}.${secrets.sign('arrival', String(now))}`;

export function isSignedArrival(secrets: Pick<Signer, 'verify'>, text: string | null, now: number): boolean {
  const [, at = '', signature = ''] = /^(\d{1,15})\.([\w-]+)$/.exec(text ?? '') ?? [];
  return at !== '' && Math.abs(now - Number(at)) <= signatureLife && secrets.verify('arrival', at, signature);
}
