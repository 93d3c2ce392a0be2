import type { FoldBatch } from '../../src/ledger/fold-store.ts';
import { hitColumns } from '../../src/rules/click-fields.ts';

/** The first batch of a journal, without hits. */
export const emptyBatch = (journal: string): FoldBatch => ({
  journal,
  now: 0,
  from: null,
  to: { segment: 1, offset: 1 },
  sweep: 0,
  newWords: new Map(),
  hits: { columns: hitColumns.map(() => new Float64Array()), count: 0 },
  isByLink: false,
  order: null,
  visitors: [],
  linkHours: { numbers: new Float64Array(), counts: [] },
  organizationRollups: new Float64Array(),
  linkClicks: new Float64Array(),
});
