import type { AllowList } from '../rules/webhook-allow.ts';
import { type Attempt, guardedRequest, type RequestOptions } from './guarded-request.ts';

const excerptLength = 1000;

interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts the call, as when the program stops. */
  readonly signal?: AbortSignal;
}

export type { Attempt, RequestOptions as PostOptions };

/** Posts to a target, if the guard allows it. Never rejects. */
export const post = (
  target: string,
  outgoing: Outgoing,
  allowed: AllowList,
  options?: RequestOptions,
): Promise<Attempt> =>
  guardedRequest(target, { ...outgoing, method: 'POST', kept: excerptLength }, allowed, options);
