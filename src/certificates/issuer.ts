import { setTimeout } from 'node:timers/promises';
import type { Secrets } from '../auth/secrets.ts';
import { type CertificateProblem, certificateSentence } from '../rules/domains/certificate-problem.ts';
import {
  maxRetryDelay,
  nextTryAt,
  orderAllowedAt,
  recentOrders,
  renewalAt,
} from '../rules/domains/certificate-times.ts';
import { dayLength, hourLength, minuteLength } from '../rules/durations.ts';
import { StoreUnavailable } from '../rules/errors.ts';
import {
  type CertificateRow,
  claimDueCertificates,
  correctCertificateTimes,
  deleteCertificate,
  deleteProofs,
  hasDueCertificates,
  insertProof,
  requestCertificate,
  updateCertificate,
} from '../storage/certificates.ts';
import type { Database } from '../storage/database.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import { recordHostChange } from '../storage/marked-changes.ts';
import type { Queries } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';
import { Accounts } from './account.ts';
import { Acme, type AcmeSettings } from './acme.ts';
import { AcmeProblem } from './acme-problem.ts';
import { certificateId } from './certificate-id.ts';
import { type ChallengeType, type Issued, orderCertificate, type Proof } from './order.ts';

interface IssuerParts {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly settings: AcmeSettings;
  /** The service's own host, which needs no proof in the DNS. */
  readonly ownHost: string;
  /** Whether there is a port without TLS, for HTTP-01. */
  readonly hasHttpPort: boolean;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Log;
  /** The certificate of a name has changed: this node's caches are notified at once, others by the change feed. */
  readonly changed: (host: string, isIssued: boolean) => void;
}

const maxAtOnce = 16;
/** A request is repeated after this time: another node may have deleted it. */
const requestPause = 60_000;
/** An organization with very many names, whose orders may take minutes to fail, leaves slots for the others. */
const maxPerOrganization = 8;
/** Longer than an order may take. */
const claimTime = 5 * minuteLength;
/** For a node whose clock is slightly ahead. */
const maxClaim = hourLength;
const correctionInterval = hourLength;
/** For how long in total a claimed order waits for a store that is down, and the pause between its retries. */
const storeTimeout = 4 * minuteLength;
const storePause = 500;
const proofTime = 10 * minuteLength;
/** How long other nodes take to follow a change. */
const feedDelay = 1_500;
const minCheckDelay = hourLength;
const maxCheckDelay = dayLength;

/** Orders the certificates that were requested in the store: each on the one node that claims it first. */
export class Issuer {
  readonly #parts: IssuerParts;
  readonly #accounts: Accounts;
  readonly #stop = new AbortController();
  #acme: Promise<Acme> | null = null;
  /** When this process requested a name. */
  readonly #requestedAt = new Map<string, number>();
  #claiming: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();
  #correctedAt = 0;

  constructor(parts: IssuerParts) {
    this.#parts = parts;
    const { database, secrets, settings } = parts;
    this.#accounts = new Accounts(database, secrets, settings.url, settings.externalAccount?.id ?? null);
  }

  /** Requests a certificate for a visited host name. */
  async request(host: string): Promise<void> {
    const { database, now } = this.#parts;
    const requestedAt = this.#requestedAt.get(host) ?? Number.NEGATIVE_INFINITY;
    // The clock may have been set back.
    if (Math.abs(now() - requestedAt) <= requestPause || !(await this.#isServed(host))) return;
    await database.write((queries) => requestCertificate(queries, host, now()));
    this.#requestedAt.set(host, now());
  }

  /** Processes due certificates: a few orders run at a time, and none waits for another to end. Never runs twice at once. */
  work(): Promise<void> {
    this.#claiming = this.#claim();
    return this.#claiming;
  }

  async #claim(): Promise<void> {
    const { database, now } = this.#parts;
    await this.#correctTimes();
    if (this.#stop.signal.aborted) return;
    const free = maxAtOnce - this.#running.size;
    if (free === 0 || !(await hasDueCertificates(database.read, now()))) return;
    const at = now();
    const claim = { now: at, until: at + claimTime, max: free, maxPerOrganization };
    const claimed = await database.write((queries) => claimDueCertificates(queries, claim));
    for (const row of claimed) {
      const running = this.#process(row).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** At the start, each hour, and when the clock was set: it may have been wrong before. */
  async #correctTimes(): Promise<void> {
    const { database, now } = this.#parts;
    const at = now();
    if (Math.abs(at - this.#correctedAt) < correctionInterval) return;
    const limits = { now: at, lastTry: at + maxRetryDelay, lastClaim: at + maxClaim };
    await database.write((queries) => correctCertificateTimes(queries, limits));
    this.#correctedAt = at;
  }

  /** Running orders end soon, and are retried at the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    // The caller of `work` handles its errors.
    await this.#claiming.catch(() => {});
    await Promise.all(this.#running);
  }

  async #isServed(host: string): Promise<boolean> {
    const { ownHost, database } = this.#parts;
    return host === ownHost || (await findVerifiedDomain(database.read, host)) !== undefined;
  }

  async #process(row: CertificateRow): Promise<void> {
    const { host } = row;
    const writeUntil = performance.now() + storeTimeout;
    try {
      if (!(await this.#isServed(host))) await this.#forget(host);
      else if (await this.#isDue(row)) await this.#order(row, writeUntil);
    } catch (cause) {
      const { log } = this.#parts;
      if (this.#stop.signal.aborted || cause instanceof StoreUnavailable)
        // The next try, on any node, needn't wait until the claim expires.
        await this.#write(writeUntil, (queries) =>
          updateCertificate(queries, host, { claimed_until: null }),
        ).catch(() => {});
      // The claim expires.
      else log.error('certificate not ordered', cause, { host });
    }
  }

  /** Retries while the store is down: an issued certificate counts towards the authority's limits, and must not be lost. */
  async #write(writeUntil: number, change: (queries: Queries) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      try {
        return await this.#parts.database.write(change);
      } catch (cause) {
        if (!(cause instanceof StoreUnavailable) || signal.aborted || performance.now() > writeUntil)
          throw cause;
      }
      await setTimeout(storePause, undefined, { signal }).catch(() => {});
    }
  }

  /** Deletes the certificate of a name that is no longer a domain of this service. */
  async #forget(host: string): Promise<void> {
    const { database, now, changed } = this.#parts;
    await database.write(async (queries) => {
      await deleteCertificate(queries, host);
      await recordHostChange(queries, host, now());
    });
    this.#requestedAt.delete(host);
    changed(host, false);
  }

  /** Whether a certificate should be ordered now. If not, stores when to check again. */
  async #isDue(row: CertificateRow): Promise<boolean> {
    const { now } = this.#parts;
    if (row.chain === null || row.renew_at === null || row.failures > 0) return true;
    const suggested = await this.#renewalWindow(row.chain);
    const renewAt =
      suggested === null
        ? row.renew_at
        : Math.min(suggested.at, (row.not_after ?? suggested.at) - minCheckDelay);
    if (renewAt <= now()) return true;
    await this.#update(row.host, {
      renew_at: renewAt,
      next_at: Math.min(renewAt, suggested?.checkAgainAt ?? now() + maxCheckDelay),
      claimed_until: null,
    });
    return false;
  }

  /** When the authority would like it to be renewed, and when to check that again; null if it doesn't say. */
  async #renewalWindow(chain: string): Promise<{ at: number; checkAgainAt: number } | null> {
    const { now, random } = this.#parts;
    const id = certificateId(chain);
    if (id === null) return null;
    const acme = await this.#client().catch((cause: unknown) => {
      // The order will fail for the same reason, and store it.
      if (cause instanceof AcmeProblem && !this.#stop.signal.aborted) return null;
      throw cause;
    });
    const window = (await acme?.renewalWindow(id).catch(() => null)) ?? null;
    if (window === null) return null;
    const wait = Math.min(Math.max((window.checkAgainAt ?? 0) - now(), minCheckDelay), maxCheckDelay);
    return { at: window.from + (window.until - window.from) * random(), checkAgainAt: now() + wait };
  }

  async #order(row: CertificateRow, writeUntil: number): Promise<void> {
    const { database, now, log } = this.#parts;
    const { host } = row;
    const orders = recentOrders(row.orders, now());
    const allowedAt = orderAllowedAt(orders);
    if (allowedAt !== null && allowedAt > now()) {
      const problem = 'too_often';
      await this.#update(host, { next_at: allowedAt, claimed_until: null, problem, problem_detail: null });
      this.#report(host, problem, null, allowedAt);
      return;
    }
    try {
      const issued = await this.#orderNow(row, writeUntil);
      await this.#keep(row, issued, [...orders, now()], writeUntil);
      log.info('certificate issued', { host, until: new Date(issued.until).toISOString() });
    } catch (cause) {
      if (!(cause instanceof AcmeProblem) || this.#stop.signal.aborted) throw cause;
      await this.#fail(row, cause, writeUntil);
    } finally {
      // They expire by themselves.
      await database.write((queries) => deleteProofs(queries, host, now())).catch(() => {});
    }
  }

  async #orderNow(row: CertificateRow, writeUntil: number): Promise<Issued> {
    const { now } = this.#parts;
    const acme = await this.#client();
    return orderCertificate({
      acme,
      host: row.host,
      replaces: row.chain === null ? null : certificateId(row.chain),
      challenges: this.#challengesFor(row),
      publish: (proof) => this.#publish(row, proof, writeUntil),
      now,
      stop: this.#stop.signal,
    });
  }

  /**
   * A name with a valid certificate is validated on the port without TLS, because the challenge certificate in the handshake
   * would be shown to visitors as well. Failed challenge types take turns.
   */
  #challengesFor(row: CertificateRow): readonly ChallengeType[] {
    const { failures } = row;
    if (!this.#parts.hasHttpPort) return ['tls-alpn-01'];
    if (this.#hasValidCertificate(row))
      return failures > 1 && failures % 4 === 3 ? ['tls-alpn-01', 'http-01'] : ['http-01', 'tls-alpn-01'];
    return failures % 2 === 0 ? ['tls-alpn-01', 'http-01'] : ['http-01', 'tls-alpn-01'];
  }

  #hasValidCertificate({ chain, not_after }: CertificateRow): boolean {
    return chain !== null && (not_after ?? 0) > this.#parts.now();
  }

  async #client(): Promise<Acme> {
    this.#acme ??= this.#register();
    try {
      return await this.#acme;
    } catch (cause) {
      this.#acme = null;
      throw cause;
    }
  }

  async #register(): Promise<Acme> {
    const { settings, now } = this.#parts;
    const stored = await this.#accounts.find();
    const acme = new Acme(settings, stored, now, this.#stop.signal);
    const account = await acme.register();
    if (stored.account !== account) await this.#accounts.keep({ ...stored, account });
    return acme;
  }

  async #publish(
    row: CertificateRow,
    { token, host, answer, tls }: Proof,
    writeUntil: number,
  ): Promise<void> {
    const { now, changed } = this.#parts;
    const [certificate, private_key] = [tls?.certificate ?? null, tls?.key ?? null];
    const proof = { token, host, answer, certificate, private_key, expires_at: now() + proofTime };
    const replacesValidCertificate = tls !== null && this.#hasValidCertificate(row);
    await this.#write(writeUntil, async (queries) => {
      await insertProof(queries, proof);
      if (replacesValidCertificate) await recordHostChange(queries, host, now());
    });
    if (!replacesValidCertificate) return;
    // Nodes have its certificate in memory, and must show the challenge certificate instead.
    changed(host, false);
    await setTimeout(feedDelay, undefined, { signal: this.#stop.signal });
  }

  async #keep(
    row: CertificateRow,
    { chain, key, from, until }: Issued,
    orders: readonly number[],
    writeUntil: number,
  ): Promise<void> {
    const { secrets, now, random, changed } = this.#parts;
    const renewAt = renewalAt(from, until, random);
    const changes = {
      chain,
      sealed_key: secrets.seal(key),
      not_after: until,
      renew_at: renewAt,
      next_at: Math.min(renewAt, now() + maxCheckDelay),
      claimed_until: null,
      failures: 0,
      problem: null,
      problem_detail: null,
      orders: orders.join(' '),
    };
    await this.#write(writeUntil, async (queries) => {
      await updateCertificate(queries, row.host, changes);
      await recordHostChange(queries, row.host, now());
    });
    changed(row.host, true);
  }

  async #fail(row: CertificateRow, cause: AcmeProblem, writeUntil: number): Promise<void> {
    const { now, random, hasHttpPort } = this.#parts;
    const { host } = row;
    const failures = row.failures + 1;
    // The account no longer exists at the authority: it is created again.
    if (cause.type === 'accountDoesNotExist') {
      this.#acme = null;
      const { key } = await this.#accounts.find();
      await this.#accounts.keep({ key, account: null });
    }
    const isUnavailable = cause.problem === 'authority_away';
    const isUnproved = cause.problem === 'connection' || cause.problem === 'other_answer';
    // How many remain after this problem.
    const challengeTypes = isUnproved && hasHttpPort && !this.#hasValidCertificate(row) ? 2 : 1;
    const nextAt = nextTryAt(
      now(),
      failures,
      { isUnavailable, retryAt: cause.retryAt, challengeTypes },
      random,
    );
    const { problem, message: problem_detail } = cause;
    const changes = { failures, problem, problem_detail, next_at: nextAt, claimed_until: null };
    await this.#write(writeUntil, (queries) => updateCertificate(queries, host, changes));
    this.#report(host, cause.problem, cause.message, nextAt);
  }

  /** Reports the problem to handshakes that wait for the certificate, and to the operator. */
  #report(host: string, problem: CertificateProblem, detail: string | null, againAt: number): void {
    this.#parts.changed(host, false);
    this.#parts.log.warnEach('certificate not issued', {
      host,
      problem,
      ...(detail === null ? {} : { detail }),
      to_do: certificateSentence(problem, host),
      again_at: new Date(againAt).toISOString(),
    });
  }

  #update(host: string, changes: Parameters<typeof updateCertificate>[2]): Promise<void> {
    return this.#parts.database.write((queries) => updateCertificate(queries, host, changes));
  }
}
