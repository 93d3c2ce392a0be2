import { wordFields } from '../../rules/click-fields.ts';
import type { ClickServer } from '../../rules/clicks-url.ts';
import { firstReclassified, reasonToStore } from '../../rules/reclassified.ts';
import type { ReadTerms } from '../../storage/database.ts';
import type { Watermark } from '../../storage/journal-watermarks.ts';
import { type CorrectionScope, filterOf, isInScope } from '../correction-scope.ts';
import type { ExternalHits, UncountedBatch } from '../external-hits.ts';
import type { Ledger, StoredHit } from '../ledger.ts';
import { ClickhouseClient } from './clickhouse-client.ts';
import { ClickhouseLedger } from './clickhouse-ledger.ts';
import {
  materializeProjections,
  monthNumber,
  prepareTables,
  quoted,
  stopProjections,
} from './clickhouse-tables.ts';
import { uncountedBatches } from './uncounted-batches.ts';

export { TablesLost } from './clickhouse-tables.ts';

/** Milliseconds for statements that rewrite parts of the ledger. */
const rewriteTimeout = 600_000;
const manyHits = 50_000;
const idsAtOnce = 10_000;

/** The hits of a store in ClickHouse. */
export class ClickhouseHits implements ExternalHits {
  readonly ledger: Ledger;
  readonly partLength: number;
  readonly #client: ClickhouseClient;

  constructor(client: ClickhouseClient, partLength = manyHits) {
    this.#client = client;
    this.partLength = partLength;
    this.ledger = new ClickhouseLedger(client);
  }

  static of(server: ClickServer, partLength?: number): ClickhouseHits {
    return new ClickhouseHits(new ClickhouseClient(server), partLength);
  }

  /**
   * `storeId` identifies the store that these hits belong to. If this fails because the server is away, the first question that is
   * answered asks for that id before.
   */
  async prepare(storeId: string, hadTables = false): Promise<void> {
    try {
      await prepareTables(this.#client, storeId, hadTables);
    } catch (cause) {
      this.#client.verifyFirst(storeId);
      throw cause;
    }
  }

  withTerms(terms: ReadTerms): ClickhouseHits {
    return new ClickhouseHits(this.#client.withTerms(terms), this.partLength);
  }

  /** The filter uses the classes of the roll-ups, so it also finds some hits that are not in the scope. */
  async inScope(scope: CorrectionScope, after: number, limit: number): Promise<readonly StoredHit[]> {
    const found: StoredHit[] = [];
    for (let last = after; found.length < limit; ) {
      const page = await this.ledger.after(filterOf(scope), {
        after: last,
        upTo: Number.MAX_SAFE_INTEGER,
        limit,
      });
      found.push(...page.filter((hit) => isInScope(scope, hit)).slice(0, limit - found.length));
      if (page.length < limit) break;
      last = page.at(-1)?.id ?? last;
    }
    return found;
  }

  async keepPart(name: string, ids: readonly number[]): Promise<void> {
    for (let from = 0; from < ids.length; from += idsAtOnce) {
      const rows = ids.slice(from, from + idsAtOnce).map((id) => `(${quoted(name)}, ${id})`);
      await this.#client.run(`insert into hit_parts (part, id) values ${rows.join(', ')}`);
    }
  }

  async correctPart(name: string, scope: CorrectionScope): Promise<void> {
    const { change } = scope;
    const inScope = [
      `organization_id = ${scope.organizationId}`,
      ...(scope.owner.kind === 'link' ? [`link_id = ${scope.owner.id}`] : []),
      ...(scope.from === null ? [] : [`at >= ${Math.ceil(scope.from)}`]),
      `at < ${Math.ceil(scope.to)}`,
      ...(change === null ? [] : [`class = ${change.from}`]),
      `id in (select id from hit_parts where part = ${quoted(name)})`,
    ].join(' and ');
    if (change === null) await this.#client.run(`delete from hits where ${inScope}`, rewriteTimeout);
    else {
      await this.#clearProjections(scope);
      await this.#client.run(
        `alter table hits update class = ${change.to}, reason = ${reasonFor(change.to)} where ${inScope}`,
        rewriteTimeout,
      );
    }
    await this.#dropPart(name);
  }

  /**
   * Clears the projections of the months in the scope: otherwise every change of a class would rebuild them for the whole month.
   * `finishCorrection` rebuilds them once.
   */
  async #clearProjections({ from, to }: CorrectionScope): Promise<void> {
    const months = await this.#client.rows<{ month: string; name: string }>(
      `select distinct partition_id as month, name from system.projection_parts
       where database = currentDatabase() and table = 'hits' and active`,
    );
    for (const { month, name } of months)
      if (month >= String(from === null ? 0 : monthNumber(from)) && month <= String(monthNumber(to))) {
        // ClickHouse can't clear a projection while it is being built; `finishCorrection` resumes building.
        await stopProjections(this.#client);
        await this.#client.run(
          `alter table hits clear projection ${name} in partition id ${quoted(month)}`,
          rewriteTimeout,
        );
      }
  }

  uncounted(watermarks: readonly Watermark[], now: number): Promise<readonly UncountedBatch[]> {
    return uncountedBatches(this.#client, watermarks, now);
  }

  async forgetParts(correction: number): Promise<void> {
    const parts = await this.#client.rows<{ part: string }>(
      `select distinct part from hit_parts where startsWith(part, ${quoted(`${correction} `)})`,
    );
    for (const { part } of parts) await this.#dropPart(part);
  }

  async finishCorrection(): Promise<void> {
    await this.#client.run('alter table hits apply deleted mask', rewriteTimeout);
    await materializeProjections(this.#client);
  }

  async deleteOrganization(id: number): Promise<void> {
    await this.#client.run(`alter table hits delete where organization_id = ${id}`, rewriteTimeout);
  }

  async eachWord(use: (id: number) => void): Promise<void> {
    for (const field of wordFields) {
      const words = await this.#client.rows<{ id: number }>(`select distinct ${field} as id from hits`);
      for (const { id } of words) use(id);
    }
  }

  async #dropPart(name: string): Promise<void> {
    await this.#client.run(`alter table hit_parts drop partition ${quoted(name)}`);
  }
}

/** The same as `reasonToStore`, in SQL. */
function reasonFor(newClass: number): string {
  const first = `reason % ${firstReclassified}`;
  const own = Array.from({ length: firstReclassified }, (_, reason) => reason).filter(
    (reason) => reasonToStore(reason, newClass) === reason,
  );
  return `if(${first} in (${own.join(', ')}), ${first}, ${firstReclassified} + ${first})`;
}
