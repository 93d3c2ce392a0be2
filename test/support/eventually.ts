/** Polls until the check passes. The default timeout suits a machine under load; pass a shorter one where less is promised. */
export async function eventually(
  check: () => Promise<boolean> | boolean,
  what: string,
  patience?: number,
): Promise<void> {
  await answerWhen(check, (isSo) => isSo, what, patience);
}

/** Polls until the answer passes `isSuch`, and returns it. The interval grows, because each poll costs CPU time. */
export async function answerWhen<Answer>(
  ask: () => Promise<Answer> | Answer,
  isSuch: (answer: Answer) => boolean,
  what: string,
  patience = 60_000,
): Promise<Answer> {
  const began = performance.now();
  for (;;) {
    const answer = await ask();
    if (isSuch(answer)) return answer;
    const waited = performance.now() - began;
    if (waited > patience) throw new Error(`still waiting for ${what}: ${JSON.stringify(answer)}`);
    await Bun.sleep(Math.min(Math.max(5, waited / 10), 250));
  }
}
