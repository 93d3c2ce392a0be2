import { errorAnswer } from '../api/serve.ts';
import { Refusal } from '../rules/errors.ts';

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

export function readOnly(
  request: Request,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  if (isRead(request)) return answer();
  return errorAnswer(new Refusal('METHOD_NOT_ALLOWED', 'This address can only be read.'), {
    allow: 'GET, HEAD',
  });
}
