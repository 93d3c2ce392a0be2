import pg from 'pg';

const bigintType = 20;
const numericType = 1700;

/** The server sends integers as text: only this parser converts them to numbers. */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === bigintType || oid === numericType
      ? Number
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};
