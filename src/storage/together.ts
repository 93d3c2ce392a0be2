/**
 * Sends several queries of one transaction at once, and resolves when all of them have ended: none may still run when the
 * transaction is over. Work with several statements comes last, so that the first failure is the cause.
 */
export async function together<Asked extends readonly Promise<unknown>[]>(
  ...asked: Asked
): Promise<{ -readonly [Index in keyof Asked]: Awaited<Asked[Index]> }> {
  await Promise.allSettled(asked);
  return (await Promise.all(asked)) as { -readonly [Index in keyof Asked]: Awaited<Asked[Index]> };
}
