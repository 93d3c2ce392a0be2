import { z } from 'zod';
import { checkNames, findingStates } from '../../rules/finding.ts';
import { component, isoInstant } from './parts.ts';

const Finding = component('Finding', {
  check: z.enum(checkNames),
  state: z.enum(findingStates),
  found: z.string().describe('A sentence.'),
  todo: z.nullable(z.string()).describe('What to do about it.'),
});

export const InstanceHealth = component('InstanceHealth', {
  is_well: z.boolean().describe('True if nothing is a problem.'),
  findings: z.array(Finding),
});

const InstanceNode = component('InstanceNode', {
  node: z.string().describe('The id in the file `node.id` of its data folder.'),
  host_name: z.string(),
  versions: z.array(z.string()).describe('More than one during an upgrade.'),
  processes: z.int().describe('Its workers.'),
  started_at: isoInstant,
  seen_at: isoInstant.describe('ISO 8601, UTC. When it last reported; it does so every ten seconds.'),
  is_gone: z.boolean().describe("Whether it hasn't reported for a minute."),
  waiting_clicks: z
    .int()
    .describe('Clicks in its journal that were not in the database when it last reported.'),
  waiting_since: z.nullable(isoInstant).describe('ISO 8601, UTC. When the oldest of them arrived.'),
  waiting_bytes: z
    .int()
    .describe('The same in bytes, including clicks left by earlier processes of the node.'),
});

export const InstanceNodes = component('InstanceNodes', { nodes: z.array(InstanceNode) });
