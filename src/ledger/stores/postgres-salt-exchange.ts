import type { SaltExchange } from '../visitors/salts/shared-salts.ts';
import type { Query } from './sql-fold-store.ts';

/** Each statement runs by itself: no transaction is open while another node is waited for. */
export const postgresSaltExchange = (query: Query): SaltExchange => ({
  async claim(day, { mark, proof }) {
    await query(
      'insert into visitor_salt_marks (day, mark, proof) values ($1, $2, $3) on conflict do nothing',
      [day, mark, proof],
    );
    const [row] = await query('select mark, proof from visitor_salt_marks where day = $1', [day]);
    // Deleted in between: treated like an existing claim, and replaced.
    return { mark: String(row?.mark ?? ''), proof: String(row?.proof ?? '') };
  },

  async replaceClaim(day, former, { mark, proof }) {
    await query('update visitor_salt_marks set mark = $1, proof = $2 where day = $3 and mark = $4', [
      mark,
      proof,
      day,
      former,
    ]);
  },

  async ask({ day, publicKey, proof }) {
    await query('insert into visitor_salt_requests (public_key, day, proof) values ($1, $2, $3)', [
      publicKey,
      day,
      proof,
    ]);
  },

  async answer(publicKey) {
    const [row] = await query('select answer from visitor_salt_requests where public_key = $1', [publicKey]);
    return row?.answer == null ? null : String(row.answer);
  },

  async withdraw(publicKey) {
    await query('delete from visitor_salt_requests where public_key = $1', [publicKey]);
  },

  async forgetBefore(day) {
    await query('delete from visitor_salt_marks where day < $1', [day]);
    await query('delete from visitor_salt_requests where day < $1', [day]);
  },
});
