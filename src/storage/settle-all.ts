/**
 * Resolves when all have ended, or rejects then with the first failure. For queries of one transaction that are sent at once: none
 * may still run when the transaction is over. Pass work with several statements last, so that the first failure is the cause.
 */
export async function settleAll<Promises extends readonly Promise<unknown>[]>(
  ...promises: Promises
): Promise<{ -readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  await Promise.allSettled(promises);
  return (await Promise.all(promises)) as { -readonly [Index in keyof Promises]: Awaited<Promises[Index]> };
}
