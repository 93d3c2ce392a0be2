/** A name, and the user agents of those who use it. The version is the first group that matches. */
export type AgentPattern = readonly [name: string, pattern: RegExp];

export interface NamedVersion {
  readonly name: string;
  /** '' if the user agent doesn't say. */
  readonly version: string;
}

const unknownName = 'Unknown';

export const namesOf = (patterns: readonly AgentPattern[]): readonly string[] => [
  ...new Set(patterns.map(([name]) => name)),
  unknownName,
];

/** By the first pattern that matches. */
export function softwareIn(userAgent: string, patterns: readonly AgentPattern[]): NamedVersion {
  for (const [name, pattern] of patterns) {
    const found = pattern.exec(userAgent);
    if (found !== null)
      return { name, version: found.slice(1).find((version) => version !== undefined) ?? '' };
  }
  return { name: unknownName, version: '' };
}
