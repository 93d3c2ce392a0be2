/** Milliseconds. */
const defaultTimeout = 120_000;

/** Polls until the check passes. The default timeout suits a machine under load; pass a shorter one where less is promised. */
export async function eventually(
  check: () => Promise<boolean> | boolean,
  what: string,
  timeout?: number,
): Promise<void> {
  await pollUntil(check, (isPassed) => isPassed, what, timeout);
}

/** Like `eventually`, for a state that may last only briefly: the interval stays short. */
export async function pollOften(check: () => Promise<boolean> | boolean, what: string): Promise<void> {
  await pollUntil(check, (isSo) => isSo, what, defaultTimeout, 5);
}

/** Polls until the answer passes `isExpected`, and returns it. The interval grows, because each poll costs CPU time. */
export async function pollUntil<Answer>(
  ask: () => Promise<Answer> | Answer,
  isExpected: (answer: Answer) => boolean,
  what: string,
  timeout = defaultTimeout,
  maxInterval = 250,
): Promise<Answer> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (isExpected(answer)) return answer;
    const waited = performance.now() - startedAt;
    if (waited > timeout) throw new Error(`still waiting for ${what}: ${JSON.stringify(answer)}`);
    await Bun.sleep(Math.min(Math.max(5, waited / 10), maxInterval));
  }
}
