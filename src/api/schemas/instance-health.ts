import { z } from 'zod';
import { checkNames, findingStates } from '../../rules/finding.ts';

const Finding = z
  .object({
    check: z.enum(checkNames),
    state: z.enum(findingStates),
    found: z.string().describe('A sentence.'),
    todo: z.nullable(z.string()).describe('What to do about it.'),
  })
  .meta({ id: 'Finding' });

export const InstanceHealth = z
  .object({
    is_well: z.boolean().describe('True if nothing is a problem.'),
    findings: z.array(Finding),
  })
  .meta({ id: 'InstanceHealth' });
