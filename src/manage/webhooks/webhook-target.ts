import { Refusal } from '../../rules/errors.ts';
import { checkTarget } from '../../webhooks/target-guard.ts';
import type { Context } from '../context.ts';

/** A target as it is stored, if its text is acceptable. The final check is made at each call. */
export function requireTarget({ webhooks }: Context, text: string, field: string): string {
  const target = checkTarget(text, webhooks.allowed);
  if (!target.ok) throw new Refusal('WEBHOOK_TARGET_REFUSED', target.sentence, { field });
  return target.url.href;
}
