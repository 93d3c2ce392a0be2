import { useState } from 'preact/hooks';
import { ApiError } from './api-error.ts';

type Send<T> = (headers: Readonly<Record<string, string>>) => Promise<T>;

/** `crypto.randomUUID` needs https. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The API keeps the answer for the key: a success, and a conflict, which a later attempt may not meet any more. */
const isKept = (cause: unknown): boolean => cause instanceof ApiError && cause.status === 409;

/** Sends creations so that an attempt with the same input, after one whose answer was lost, creates nothing a second time. */
export function onceCreator() {
  let unanswered: { readonly input: string; readonly key: string } | null = null;
  return async <T>(body: unknown, send: Send<T>): Promise<T> => {
    const input = JSON.stringify(body);
    if (unanswered?.input !== input) unanswered = { input, key: newKey() };
    try {
      const answer = await send({ 'idempotency-key': unanswered.key });
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
