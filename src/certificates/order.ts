import { X509Certificate } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Acme, Answer, Authorization, Challenge, Order } from './acme.ts';
import { AcmeProblem, problemOf } from './acme-problem.ts';
import { newKeyPair, pemOf, signingRequest, tlsProof } from './signed.ts';

export type ChallengeType = 'tls-alpn-01' | 'http-01';

export interface Proof {
  readonly token: string;
  readonly host: string;
  readonly answer: string;
  readonly tls: { readonly certificate: string; readonly key: string } | null;
}

interface OrderParts {
  readonly acme: Acme;
  readonly host: string;
  /** The identifier of the certificate that this one replaces. */
  readonly replaces: string | null;
  /** In the order in which they are tried. */
  readonly challenges: readonly ChallengeType[];
  /** Resolves once every node can answer the challenge. */
  readonly publish: (proof: Proof) => Promise<void>;
  readonly now: () => number;
  readonly stop: AbortSignal;
}

export interface Issued {
  readonly chain: string;
  readonly key: string;
  readonly from: number;
  readonly until: number;
}

const timeout = 120_000;
const minPause = 250;
const maxPause = 10_000;

/** One order from start to certificate. */
export async function orderCertificate(parts: OrderParts): Promise<Issued> {
  const { acme, host, replaces } = parts;
  const ordered = await acme.order(host, replaces);
  for (const url of ordered.body.authorizations) await prove(parts, url);
  const ready = await until<Order>(parts, ordered.location, ({ status }) => status !== 'pending');
  failIfInvalid(ready);
  const pair = newKeyPair();
  if (ready.status === 'ready') {
    const csr = signingRequest(host, pair).toString('base64url');
    const hasBegun = async () => (await acme.read<Order>(ordered.location)).body.status !== 'ready';
    await once(() => acme.post<Order>(ready.finalize, { csr }), hasBegun);
  }
  const done = await until<Order>(
    parts,
    ordered.location,
    ({ status }) => status === 'valid' || status === 'invalid',
  );
  failIfInvalid(done);
  if (done.certificate === undefined) throw new AcmeProblem('unusable', 'the order has no certificate');
  const { body: chain } = await acme.read<string>(done.certificate);
  return checked(host, chain, pair);
}

async function prove(parts: OrderParts, url: string): Promise<void> {
  const { acme, host, challenges, publish, now } = parts;
  const { body } = await acme.read<Authorization>(url);
  if (body.status === 'valid') return;
  const offered = challenges.map((type) => body.challenges.find((challenge) => challenge.type === type));
  const chosen = offered.find((challenge) => challenge !== undefined);
  if (chosen === undefined)
    throw new AcmeProblem('refused', `the authority offers neither ${challenges.join(' nor ')}`);
  const answer = acme.keyAuthorizationFor(chosen.token);
  const tls = chosen.type === 'tls-alpn-01' ? tlsProof(host, answer, now()) : null;
  await publish({ token: chosen.token, host, answer, tls });
  const hasBegun = async () => {
    const { body: current } = await acme.read<Authorization>(url);
    const own = current.challenges.find(({ token }) => token === chosen.token);
    return current.status !== 'pending' || own?.status !== 'pending';
  };
  await once(() => acme.post<Challenge>(chosen.url, {}), hasBegun);
  const { status, challenges: answered } = await until<Authorization>(
    parts,
    url,
    (found) => found.status !== 'pending',
  );
  if (status === 'valid') return;
  throw problemOf(answered.find((challenge) => challenge.error !== undefined)?.error, 400);
}

/** If the answer to a message is lost, the message is sent again, and refused because it already had its effect: that is success. */
async function once(post: () => Promise<unknown>, hasBegun: () => Promise<boolean>): Promise<void> {
  try {
    await post();
  } catch (cause) {
    if (!(await hasBegun())) throw cause;
  }
}

/** Polls until `isDone` accepts the answer, with the pauses that the authority requests. */
async function until<Body>(
  { acme, stop }: OrderParts,
  url: string,
  isDone: (body: Body) => boolean,
): Promise<Body> {
  const deadline = performance.now() + timeout;
  for (let pause = minPause; ; pause = Math.min(pause * 1.5, maxPause)) {
    const answer: Answer<Body> = await acme.read<Body>(url);
    if (isDone(answer.body)) return answer.body;
    if (performance.now() > deadline || stop.aborted)
      throw new AcmeProblem('authority_away', 'the authority took too long');
    const requestedPause = answer.retryAt === null ? 0 : Math.min(answer.retryAt - Date.now(), maxPause);
    await setTimeout(Math.max(pause, requestedPause), undefined, { signal: stop }).catch(() => {});
  }
}

function failIfInvalid({ status, error }: Order): void {
  if (status === 'invalid') throw problemOf(error, 400);
}

function checked(host: string, chain: string, pair: ReturnType<typeof newKeyPair>): Issued {
  try {
    const leaf = new X509Certificate(chain);
    const [from, until] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
    if (leaf.checkPrivateKey(pair.privateKey) && leaf.checkHost(host) !== undefined && from < until)
      return { chain, key: pemOf(pair), from, until };
  } catch {
    // Not even a certificate.
  }
  throw new AcmeProblem('unusable', 'the certificate is for another key or name');
}
