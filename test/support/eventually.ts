/** Asks again until the answer is yes: for as long as a machine under load may take, unless less is promised. */
export async function eventually(
  check: () => Promise<boolean> | boolean,
  what: string,
  patience = 60_000,
): Promise<void> {
  const began = performance.now();
  while (!(await check())) {
    if (performance.now() - began > patience) throw new Error(`still waiting for ${what}`);
    await Bun.sleep(5);
  }
}
