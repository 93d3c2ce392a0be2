import type { TestApp, TestResponse } from './app.ts';
import { pollUntil } from './eventually.ts';

/** The response of a correction once it is done: on a busy machine the call may end before, with 202. */
export async function finishedCorrection(
  app: Pick<TestApp, 'call'>,
  key: string,
  response: TestResponse,
): Promise<TestResponse> {
  if (response.status !== 202) return response;
  const { id, link_id } = response.json;
  const path = `/api/v1${link_id === null ? '' : `/link/${link_id}`}/clicks/corrections`;
  const json = await pollUntil(
    async () => {
      const { corrections } = (await app.call('GET', path, { key })).json;
      return corrections.find((correction: { id: number }) => correction.id === id);
    },
    (correction) => correction?.state === 'done',
    'the correction to be done',
  );
  return { ...response, status: 200, json };
}
