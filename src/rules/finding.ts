/** What is checked when an instance reports its health. */
export const checkNames = [
  'settings',
  'disk',
  'clock',
  'dns',
  'certificate',
  'address',
  'database',
  'key',
  'mail',
  'backlog',
  'backup',
] as const;
export type CheckName = (typeof checkNames)[number];

/** `notice`: it works, but somebody should know. `problem`: something is wrong, or soon will be. */
export const findingStates = ['ok', 'notice', 'problem'] as const;
type FindingState = (typeof findingStates)[number];

export interface Finding {
  readonly state: FindingState;
  /** A sentence. */
  readonly found: string;
  /** What to do about it, as sentences; null if nothing needs to be done. */
  readonly todo: string | null;
}

export interface CheckFinding extends Finding {
  readonly check: CheckName;
}

export const ok = (found: string): Finding => ({ state: 'ok', found, todo: null });
export const notice = (found: string, todo: string): Finding => ({ state: 'notice', found, todo });
export const problem = (found: string, todo: string): Finding => ({ state: 'problem', found, todo });
export const usableSettings: CheckFinding = { check: 'settings', ...ok('All settings can be used.') };
