import { readFileSync } from 'node:fs';
import { type ClassReason, reasons } from '../../src/rules/click-fields.ts';

/** The lines of a list in `fixtures/agents`, without its comments. */
export const agentLines = (name: string): string[] =>
  readFileSync(new URL(`../fixtures/agents/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** A user agent seen in the wild, and the reason for the class of its hits. */
export type AgentRow = readonly [who: string, userAgent: string, reason: ClassReason];

const rowsOf = (name: string): AgentRow[] =>
  agentLines(name).map((line) => {
    const [written, who = '', userAgent = ''] = line.split('|');
    const reason = reasons.find((each) => each === written);
    if (reason === undefined) throw new Error(`a reason that doesn't exist: ${line}`);
    return [who, userAgent, reason];
  });

export const people = rowsOf('people');
export const previews = rowsOf('previews');
export const machines: readonly AgentRow[] = [
  ['nothing', '', 'empty_user_agent'],
  ['a blank', '  ', 'empty_user_agent'],
  ...rowsOf('machines'),
];

export const crawlerAgents: readonly string[] = agentLines('crawlers').flatMap((line) => {
  const [format = '', ...versions] = line.split('|');
  return versions.length === 0 ? [format] : versions.map((version) => format.replaceAll('%', version));
});
