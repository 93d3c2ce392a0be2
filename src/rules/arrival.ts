/** How a request came to the service: by this it shows what proxies do with it. */
export interface Arrival {
  /** The visitor's address, as far as proxies are trusted. */
  readonly client: string;
  /** Header fields by name, as they arrived; those that didn't are missing. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The path that tells it, to those who can sign for it. */
export const arrivalPath = '/internal/arrival';
export const arrivalHeader = 'linnet-check';
/** A browser's, sent along to see whether it arrives. */
export const witnessHeader = 'sec-fetch-mode';

export const arrivalHeaders = [
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'via',
  witnessHeader,
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
