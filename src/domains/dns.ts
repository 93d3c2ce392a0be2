import { Resolver } from 'node:dns/promises';
import { type Answer, boundedAnswer, type DomainFindings } from '../rules/domains/domain-findings.ts';
import { proofLabel } from '../rules/domains/domain-name.ts';
import { withTimeout } from '../structures/with-timeout.ts';

const timeout = 2_000;
const tries = 2;
/** Whatever retries the resolver makes, this is when we stop waiting for it. */
const maxDuration = 8_000;

/** Errors that mean that a name, or its records of one type, doesn't exist. Anything else is no answer at all. */
const absenceCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** DNS lookups by this machine's resolvers or others. Never rejects: a failed lookup is "unknown". */
export class Dns {
  readonly #servers: readonly string[];
  readonly #active = new Set<Resolver>();
  #isClosed = false;

  /** `servers` as address or address:port; none means those of this machine. */
  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  /** Null if it is closed before every query is answered: an aborted lookup has no result, not even "unknown". */
  async findingsFor(host: string): Promise<DomainFindings | null> {
    const findings = await this.#withResolver(async (resolver) => {
      const [proof, cname, a, aaaa] = await Promise.all([
        answerOf(resolver.resolveTxt(`${proofLabel}.${host}`).then(joined)),
        answerOf(resolver.resolveCname(host)),
        answerOf(resolver.resolve4(host)),
        answerOf(resolver.resolve6(host)),
      ]);
      return { proof, cname, a, aaaa };
    });
    return this.#isClosed ? null : findings;
  }

  /** Null if that could not be determined. */
  addressesOf(host: string): Promise<readonly string[] | null> {
    return this.#withResolver(async (resolver) => {
      const answers = await Promise.all([
        answerOf(resolver.resolve4(host)),
        answerOf(resolver.resolve6(host)),
      ]);
      if (answers.some((answer) => answer.kind === 'unknown')) return null;
      return answers.flatMap((answer) => (answer.kind === 'found' ? answer.values : []));
    });
  }

  /** Pending lookups are answered as unknown. */
  close(): void {
    this.#isClosed = true;
    for (const resolver of this.#active) resolver.cancel();
  }

  /** Each lookup has a new resolver: resolvers cache absent names for up to an hour, and a repeated check needs a fresh answer. */
  async #withResolver<T>(query: (resolver: Resolver) => Promise<T>): Promise<T> {
    const resolver = new Resolver({ timeout, tries });
    if (this.#servers.length > 0) resolver.setServers(this.#servers);
    this.#active.add(resolver);
    try {
      return await query(resolver);
    } finally {
      this.#active.delete(resolver);
    }
  }
}

function answerOf(lookup: Promise<readonly string[]>): Promise<Answer> {
  const answer = lookup.then(
    boundedAnswer,
    (cause: unknown): Answer => ({ kind: isAbsence(cause) ? 'none' : 'unknown' }),
  );
  return withTimeout(maxDuration, answer, () => ({ kind: 'unknown' }));
}

/** A TXT record stores a text of more than 255 bytes as several strings. */
const joined = (records: readonly (readonly string[])[]): string[] =>
  records.map((strings) => strings.join(''));

const isAbsence = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && absenceCodes.has(cause.code);
