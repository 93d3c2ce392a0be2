/**
 * Asks several things of one transaction at once, and goes on when all of them have ended: none may still be asking when
 * the transaction is over. What takes several statements comes last, so that the first that failed is the cause.
 */
export async function together<Asked extends readonly Promise<unknown>[]>(
  ...asked: Asked
): Promise<{ -readonly [Place in keyof Asked]: Awaited<Asked[Place]> }> {
  await Promise.allSettled(asked);
  return (await Promise.all(asked)) as { -readonly [Place in keyof Asked]: Awaited<Asked[Place]> };
}
