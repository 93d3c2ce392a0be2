import type { TestApp } from './app.ts';

/** As if this user had followed a link that was mailed to their address. */
export const proveEmail = async ({ app }: TestApp, userId: number): Promise<void> => {
  await app.context.database.write((queries) =>
    queries.updateTable('users').set({ email_proven: 1 }).where('id', '=', userId).execute(),
  );
};

/** As if everyone had followed a link that was mailed to their address. */
export const proveEmails = async ({ app }: TestApp): Promise<void> => {
  await app.context.database.write((queries) =>
    queries.updateTable('users').set({ email_proven: 1 }).execute(),
  );
};
