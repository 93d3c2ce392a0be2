import { useState } from 'preact/hooks';
import { ApiError } from './api-error.ts';
import { type Answer, type Arguments, type CallName, call, type Input } from './client.ts';

/** `crypto.randomUUID` needs https. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The API keeps the answer for the key: a success, and a conflict, which a later attempt may not meet any more. */
const isKept = (cause: unknown): boolean => cause instanceof ApiError && cause.status === 409;

/** Calls the API for creations so that an attempt with the same input, after one whose answer was lost, creates nothing a second time. */
export function onceCreator() {
  let unanswered: { readonly input: string; readonly key: string } | null = null;
  return async <N extends CallName>(name: N, creation: Input<N>): Promise<Answer<N>> => {
    const input = JSON.stringify(creation);
    if (unanswered?.input !== input) unanswered = { input, key: newKey() };
    const headers = { 'idempotency-key': unanswered.key };
    try {
      const answer = await call(name, ...([{ ...creation, headers }] as Arguments<N>));
      unanswered = null;
      return answer;
    } catch (cause) {
      if (isKept(cause)) unanswered = null;
      throw cause;
    }
  };
}

export type CreateOnce = ReturnType<typeof onceCreator>;

export const useCreateOnce = (): CreateOnce => useState(onceCreator)[0];
