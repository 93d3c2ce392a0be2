import type { Migration } from '../migration.ts';

export const clickClaims: Migration = ({ integer, bytes, tableEnd }) => [
  // The clicks of the last minutes, by which journals that share no memory recognise repeats: keys that reveal nothing.
  `create table click_claims (
    turn ${integer} primary key,
    journal text not null,
    segment ${integer} not null,
    byte_offset ${integer} not null,
    first_at ${integer} not null,
    last_at ${integer} not null,
    folded_at ${integer} not null,
    cells ${bytes} not null
  ) ${tableEnd}`,
  'create index click_claims_time on click_claims (last_at, first_at)',
  // One row, which a claim changes first: the next one waits for it.
  `create table click_claim_turns (turn ${integer} not null) ${tableEnd}`,
  'insert into click_claim_turns (turn) values (0)',
];
