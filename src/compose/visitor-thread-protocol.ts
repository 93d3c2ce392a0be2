import type { Environment } from '../config/load.ts';
import type { RawHit } from '../journal/hit.ts';
import type { AppServerAccess, Clicks, DataPlane } from './data-plane.ts';
import type { Overrides } from './overrides.ts';

/** What the main thread calls in the data plane's thread. */
interface Methods
  extends Pick<Clicks, 'settled' | 'cleanUp'>,
    Pick<DataPlane, 'open' | 'listen' | 'measure' | 'takeNotFound' | 'drain'>,
    Pick<DataPlane, 'stopAccepting' | 'endConnections' | 'close'> {
  prepare(environment: Environment, appServer: AppServerMemory, hits: Overrides['hits']): Listening;
  append(hit: RawHit): Promise<void>;
  /** A `Change` as JSON: as one string it is copied in a sixth of the time of a thousand objects. */
  change(json: string): void;
}

export type CallName = keyof Methods;
export type Arguments<Name extends CallName> = Parameters<Methods[Name]>;
export type Result<Name extends CallName> = Awaited<ReturnType<Methods[Name]>>;

/** The methods, as the thread implements them. */
export type ThreadCalls = {
  readonly [Name in CallName]: (...args: Arguments<Name>) => Result<Name> | Promise<Result<Name>>;
};

type AppServerMemory = Omit<AppServerAccess, 'clientByPort'> & { readonly clientByPort: SharedArrayBuffer };

export type Listening = Pick<DataPlane, 'port' | 'httpPort' | 'origin'>;

/** Each call is answered once it is done. */
export interface ToDataPlane<Name extends CallName> {
  readonly id: number;
  readonly name: Name;
  readonly args: Arguments<Name>;
}

export type FromDataPlane =
  | { readonly kind: 'done'; readonly id: number; readonly result: Result<CallName> }
  | { readonly kind: 'failed'; readonly id: number; readonly problem: Problem }
  | { readonly kind: 'folded' }
  | { readonly kind: 'certificateRequested'; readonly host: string };

export interface Problem {
  readonly message: string;
  readonly stack: string;
  /** A `StartProblem`: its message is meant for the user. */
  readonly isForeseen: boolean;
}
