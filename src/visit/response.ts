import type { Page } from './pages.ts';
import type { VisitAnswer } from './redirects.ts';

type Final = Extract<VisitAnswer, { kind: 'redirect' | 'page' }>;

/** An answer as a `Response`, sent once its hit is in the journal. */
export function toResponse(answer: Final): Response | Promise<Response> {
  const response =
    answer.kind === 'page'
      ? pageResponse(answer.page)
      : redirectResponse(answer.status, answer.location, answer.cookie);
  return answer.stored instanceof Promise ? answer.stored.then(() => response) : response;
}

export const pageResponse = ({ status, headers, html }: Page): Response =>
  new Response(html, { status, headers });

export const redirectResponse = (status: number, location: string, cookie: string | null): Response =>
  new Response(null, {
    status,
    headers: {
      location,
      'cache-control': 'private, no-store',
      ...(cookie === null ? {} : { 'set-cookie': cookie }),
    },
  });
