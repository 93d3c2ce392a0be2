import { type Challenge, createChallenge, type Solution, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { minuteLength } from '../../rules/durations.ts';
import type { LinkForVisitor } from '../../rules/link-rules/resolve.ts';

interface CaptchaGateParts {
  readonly secret: string;
  readonly sign: (text: string) => string;
  /** True the first time a challenge is used, on all nodes together. */
  readonly useOnce: (challengeId: string, expiresAt: number) => Promise<boolean>;
  readonly now: () => number;
}

/** A phone takes about a second; a client that wants a million answers has to do it a million times. */
const work = { algorithm: 'PBKDF2/SHA-256', cost: 1_000, keyPrefix: '00' } as const;
const challengeLifetime = 10 * minuteLength;

/** Proof of work by the ALTCHA protocol: each challenge is for one link, for ten minutes, for one use. */
export class CaptchaGate {
  readonly #parts: CaptchaGateParts;

  constructor(parts: CaptchaGateParts) {
    this.#parts = parts;
  }

  challenge(link: LinkForVisitor): Promise<Challenge> {
    return createChallenge({
      ...work,
      deriveKey,
      expiresAt: Math.floor((this.#parts.now() + challengeLifetime) / 1000),
      data: { link: this.#signedId(link) },
      hmacSignatureSecret: this.#parts.secret,
    });
  }

  /** `payload` is what the page sends: the challenge and its solution, as base64 of JSON. */
  async accepts(link: LinkForVisitor, payload: string): Promise<boolean> {
    const sent = readPayload(payload);
    if (!sent) return false;
    const { parameters } = sent.challenge;
    const expiresAt = (parameters.expiresAt ?? 0) * 1000;
    // Parameters are checked first: the client must not choose how expensive verification is.
    const isOurs =
      parameters.algorithm === work.algorithm && parameters.cost === work.cost && parameters.keyLength === 32;
    if (!isOurs || parameters.data?.link !== this.#signedId(link) || expiresAt <= this.#parts.now())
      return false;
    const result = await verifySolution({
      ...sent,
      deriveKey,
      hmacSignatureSecret: this.#parts.secret,
    }).catch(() => null);
    if (!result?.verified) return false;
    return this.#parts.useOnce(parameters.nonce, expiresAt);
  }

  /** Identifies the challenge's link without revealing its id. */
  #signedId(link: LinkForVisitor): string {
    return this.#parts.sign(String(link.id));
  }
}

function readPayload(payload: string): { challenge: Challenge; solution: Solution } | null {
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
    const isWhole =
      typeof challenge?.parameters?.nonce === 'string' &&
      typeof challenge.parameters.expiresAt === 'number' &&
      typeof challenge.signature === 'string' &&
      Number.isInteger(solution?.counter) &&
      typeof solution.derivedKey === 'string';
    return isWhole ? { challenge, solution } : null;
  } catch {
    return null;
  }
}
