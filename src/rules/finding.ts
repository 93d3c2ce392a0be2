/** What is checked when an instance reports its health. */
export const checkNames = [
  'settings',
  'disk',
  'clock',
  'dns',
  'certificate',
  'address',
  'database',
  'mail',
  'backlog',
  'backup',
] as const;
export type CheckName = (typeof checkNames)[number];

/** `notice`: it works, but somebody should know. `problem`: something is wrong, or soon will be. */
export const findingStates = ['ok', 'notice', 'problem'] as const;
type FindingState = (typeof findingStates)[number];

export interface Finding {
  readonly check: CheckName;
  readonly state: FindingState;
  /** A sentence. */
  readonly found: string;
  /** What to do about it, as sentences; null if nothing needs to be done. */
  readonly todo: string | null;
}

export const ok = (check: CheckName, found: string): Finding => ({ check, state: 'ok', found, todo: null });
export const notice = (check: CheckName, found: string, todo: string): Finding => ({
  check,
  state: 'notice',
  found,
  todo,
});
export const problem = (check: CheckName, found: string, todo: string): Finding => ({
  check,
  state: 'problem',
  found,
  todo,
});
