import type { FoldedClick } from '../click.ts';
import type { DeliveriesOf, FoldStore, HookedLink } from '../fold-store.ts';
import type { DailySalts } from '../visitors/visitor-hash.ts';
import type { EnrichParts } from './enrich.ts';
import type { FoldSettings, FromFold } from './fold-messages.ts';

export type ClicksOf = (
  links: ReadonlyMap<number, Pick<HookedLink, 'organization_id'>>,
) => readonly FoldedClick[];

/** What a fold needs. */
export interface FoldParts {
  readonly store: FoldStore;
  readonly salts: DailySalts;
  readonly enrich: EnrichParts;
  /** Our own hosts, kept up to date by the worker. */
  readonly hosts: Set<string>;
  /** `clicks` returns those of the given links. */
  readonly deliveriesOf: (clicks: ClicksOf, journal: string, now: number) => DeliveriesOf;
}

export interface FoldWorkerParts extends FoldParts {
  readonly settings: FoldSettings;
  readonly now: number;
  readonly send: (message: FromFold) => void;
}
