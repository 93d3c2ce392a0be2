import encodeQR from 'qr';

/** Light modules around the symbol, as the standard asks. */
const quietZone = 4;

/** Rows of modules, true is dark, the quiet zone included. */
export const qrMatrix = (text: string): boolean[][] =>
  encodeQR(text, 'raw', { ecc: 'medium', border: quietZone });
