import { z } from 'zod';

const problem = z.object({
  status_code: z.int(),
  error_code: z.string(),
  field_key: z.string().optional(),
  error_string: z.string(),
});

export const ErrorAnswer = problem
  .extend({
    errors: z.array(problem).optional().describe('All problems, if there is more than one.'),
  })
  .meta({ id: 'Error', description: 'Every error has this format.' });
