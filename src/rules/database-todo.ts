export const readOnlyTodo = 'Promote a standby, or name in DATABASE_URL the server that takes changes.';
export const rightsTodo =
  'Make the user of DATABASE_URL the owner of the database, its schema and its tables.';
const otherTodo = 'Check DATABASE_URL and that the server runs.';

/** By SQLSTATE. */
const todos: Readonly<Record<string, string>> = {
  '25006': readOnlyTodo,
  '28000': 'Check the user in DATABASE_URL, and pg_hba.conf.',
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '3D000': 'Create it with "createdb --encoding=UTF8 --template=template0 NAME", or correct DATABASE_URL.',
  '42501': rightsTodo,
  '53100': 'The disk of the server is full: free some space there.',
  '53300': 'Raise max_connections, or let fewer connect: see DB_POOL.',
};

/** What a failure says about PostgreSQL: whether it answered, and what to do. */
export function databaseProblem(cause: unknown): { readonly hasAnswered: boolean; readonly todo: string } {
  const state = [cause, (cause as Error).cause].map(sqlStateOf).find((code) => code !== null);
  return state == null
    ? { hasAnswered: false, todo: otherTodo }
    : { hasAnswered: true, todo: todos[state] ?? otherTodo };
}

/** Null for the codes of a connection that failed, such as ECONNREFUSED. */
function sqlStateOf(cause: unknown): string | null {
  const code = String((cause as { code?: unknown } | undefined)?.code ?? '');
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : null;
}
