import type { RawHit } from '../journal/hit.ts';
import type { NotFoundCount } from '../storage/not-found-visits.ts';
import type { Metric } from '../telemetry/metrics.ts';
import type { Overrides } from './overrides.ts';

/** The tasks of the data plane's thread. Each task is answered once it is done. */
export type Task =
  | {
      readonly kind: 'prepare';
      readonly environment: Environment;
      readonly appServer: AppServerMemory;
      readonly hits: Hits;
    }
  | { readonly kind: 'open'; readonly origin: string; readonly saltKey: string }
  | { readonly kind: 'listen' }
  /** A `Change` as JSON: as one string it is copied in a sixth of the time of a thousand objects. */
  | { readonly kind: 'change'; readonly change: string }
  | { readonly kind: 'append'; readonly hit: RawHit }
  | { readonly kind: 'settle' }
  | { readonly kind: 'cleanUp' }
  | { readonly kind: 'measure' }
  | { readonly kind: 'takeNotFound' }
  | { readonly kind: 'drain' }
  | { readonly kind: 'stopAccepting'; readonly timeout: number }
  | { readonly kind: 'endConnections' }
  | { readonly kind: 'close' };

export type Environment = Readonly<Record<string, string | undefined>>;

interface AppServerMemory {
  readonly port: number;
  readonly clientByPort: SharedArrayBuffer;
  readonly misses: SharedArrayBuffer;
}

type Hits = NonNullable<Overrides['hits']> | null;

export interface ToDataPlane {
  readonly id: number;
  readonly task: Task;
}

export interface Listening {
  readonly port: number;
  readonly httpPort: number | null;
  readonly origin: string;
}

/** A task's answer: `listening` for `prepare`, `metrics` for `measure`, `notFound` for `takeNotFound`. */
export interface TaskAnswer {
  readonly listening?: Listening;
  readonly metrics?: readonly Metric[];
  readonly notFound?: readonly NotFoundCount[];
}

export type FromDataPlane =
  | { readonly kind: 'done'; readonly id: number; readonly answer: TaskAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly problem: Problem }
  | { readonly kind: 'folded' }
  | { readonly kind: 'certificateRequested'; readonly host: string };

export interface Problem {
  readonly message: string;
  readonly stack: string;
  /** A `StartProblem`: its message is meant for the user. */
  readonly isForeseen: boolean;
}
