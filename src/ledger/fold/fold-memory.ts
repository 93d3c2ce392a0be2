import { BatchBuilder } from './batch-builder.ts';
import type { FoldParts } from './fold-worker-parts.ts';
import { HitBatch } from './hit-batch.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { ValueLimit } from './value-limit.ts';
import { WordIds } from './word-ids.ts';

/** Reused for every batch: a thread folds its journals one after another, with the same memory. */
export class FoldMemory {
  readonly words = new WordIds();
  readonly seen = new SeenVisitors();
  readonly hits: HitBatch;
  readonly builder: BatchBuilder;

  constructor({ enrich, store }: Pick<FoldParts, 'enrich' | 'store'>, floodLimit: number) {
    this.hits = new HitBatch(this.words, new ValueLimit(), enrich, floodLimit);
    this.builder = new BatchBuilder(this.seen, store.minByLink);
  }
}
