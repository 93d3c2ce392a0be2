import type { Context } from '../manage/context.ts';
import { Refusal } from '../rules/errors.ts';

export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, { readonly type: 'string' }>>;
  /** What is printed when it is done. */
  readonly run: (context: Context, values: Readonly<Record<string, string | undefined>>) => Promise<string>;
}

export function required(values: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = values[name]?.trim();
  if (!value) throw new Refusal('FIELD_MISSING', `--${name} is needed.`);
  return value;
}
