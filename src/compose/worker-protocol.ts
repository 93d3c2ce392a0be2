import type { RawHit } from '../journal/hit.ts';
import type { Overrides } from './overrides.ts';

/** What the visitors' thread can be asked to do; each is answered once it is done. */
export type Errand =
  | {
      readonly to: 'prepare';
      readonly environment: Environment;
      readonly behind: BehindInMemory;
      readonly hits: Hits;
    }
  | { readonly to: 'open'; readonly origin: string }
  | { readonly to: 'listen' }
  /** A `Change` as JSON: as one text it crosses for a sixth of what a thousand objects take. */
  | { readonly to: 'know'; readonly change: string }
  | { readonly to: 'append'; readonly hit: RawHit }
  | { readonly to: 'settle' }
  | { readonly to: 'tidy' }
  | { readonly to: 'stopTaking'; readonly patience: number }
  | { readonly to: 'endConnections' }
  | { readonly to: 'close' };

export type Environment = Readonly<Record<string, string | undefined>>;

export interface BehindInMemory {
  readonly port: number;
  readonly clientByPort: SharedArrayBuffer;
  readonly misses: SharedArrayBuffer;
}

type Hits = NonNullable<Overrides['hits']> | null;

export interface ToVisitors {
  readonly id: number;
  readonly errand: Errand;
}

export interface Listening {
  readonly port: number;
  readonly origin: string;
}

export type FromVisitors =
  | { readonly kind: 'done'; readonly id: number; readonly listening: Listening | null }
  | { readonly kind: 'failed'; readonly id: number; readonly problem: Problem }
  | { readonly kind: 'folded' };

export interface Problem {
  readonly message: string;
  readonly stack: string;
  /** For whoever starts the program, in words. */
  readonly isForeseen: boolean;
}
