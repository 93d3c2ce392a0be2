import type { Environment } from '../config/load.ts';
import type { Context } from '../manage/context.ts';
import { Refusal } from '../rules/errors.ts';

export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, { readonly type: 'string' }>>;
  /** Others are refused if there is no store yet: usually they look into the wrong folder. */
  readonly mayCreateStore?: true;
  /** Called before the store is opened, which may create it. Throws if it would be in vain; may ask for further values. */
  readonly prepare?: (values: CommandValues) => Promise<CommandValues>;
  /** Returns what to print when it is done. */
  readonly run: (context: Context, values: CommandValues) => Promise<string | CommandResult>;
}

export type CommandValues = Readonly<Record<string, string | undefined>>;

export interface CommandResult {
  readonly output: string;
  readonly exitCode: number;
}

/** A command that opens what it needs itself: the store may be missing, older or down. */
export interface StandaloneCommand {
  readonly name: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** Returns the exit code. */
  readonly run: (call: StandaloneCall) => Promise<number>;
}

export interface StandaloneCall {
  readonly environment: Environment;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Arguments that are not options, such as a file. */
  readonly words: readonly string[];
}

/** The one argument that a command takes besides its options. */
export function onlyArgument({ words }: StandaloneCall, what: string): string {
  const [word, more] = words;
  if (word === undefined || word === '') throw new Refusal('FIELD_MISSING', `${what} is needed.`);
  if (more !== undefined)
    throw new Refusal('FIELD_INVALID', `${what} is all that this command takes, and it was given "${more}".`);
  return word;
}

export function refuseArguments({ words: [word] }: StandaloneCall): void {
  if (word !== undefined)
    throw new Refusal('FIELD_INVALID', `This command takes options alone, and was given "${word}".`);
}

export function required(values: CommandValues, name: string): string {
  const value = values[name]?.trim();
  if (!value) throw new Refusal('FIELD_MISSING', `--${name} is needed.`);
  return value;
}
