/** Asks again until the answer is yes: for as long as a machine under load may take, unless less is promised. */
export async function eventually(
  check: () => Promise<boolean> | boolean,
  what: string,
  patience?: number,
): Promise<void> {
  await answerWhen(check, (isSo) => isSo, what, patience);
}

/** Asks again until the answer is such, and returns it; less often the longer it takes, as each question takes time of a processor. */
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
    await Bun.sleep(Math.min(Math.max(5, waited / 10), 50));
  }
}
