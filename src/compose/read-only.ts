import { errorAnswer } from '../api/serve.ts';
import type { IncomingRequest } from '../http/router.ts';
import { Refusal } from '../rules/errors.ts';

type Route = (incoming: IncomingRequest) => Response | Promise<Response>;

/** A route that answers only requests that read. */
export const readOnly =
  (answer: Route): Route =>
  (incoming) => {
    const { method } = incoming.request;
    if (method === 'GET' || method === 'HEAD') return answer(incoming);
    return errorAnswer(new Refusal('METHOD_NOT_ALLOWED', 'This address can only be read.'), {
      allow: 'GET, HEAD',
    });
  };
