import { z } from 'zod';
import { checkNames, findingStates } from '../../rules/finding.ts';
import { component } from './parts.ts';

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
