/** Asks again until the answer is yes. */
export async function eventually(
  check: () => Promise<boolean> | boolean,
  what: string,
  patience = 5_000,
): Promise<void> {
  const began = performance.now();
  while (!(await check())) {
    if (performance.now() - began > patience) throw new Error(`still waiting for ${what}`);
    await Bun.sleep(5);
  }
}
