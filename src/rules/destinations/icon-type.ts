/** More than any icon has, and little enough for a browser to decode. */
const maxSide = 1_024;

/**
 * The type of an icon by its first bytes, whatever its server called it; null for what isn't stored: other types, pictures that
 * are too large when decoded, and SVG, which can contain script.
 */
export function iconType(bytes: Uint8Array): 'image/png' | 'image/gif' | 'image/x-icon' | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) && bytes.length >= 24)
    return isSmall(view.getUint32(16), view.getUint32(20)) ? 'image/png' : null;
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38]) && bytes.length >= 10)
    return isSmall(view.getUint16(6, true), view.getUint16(8, true)) ? 'image/gif' : null;
  return startsWith(bytes, [0, 0, 1, 0]) && bytes.length >= 22 ? 'image/x-icon' : null;
}

const startsWith = (bytes: Uint8Array, beginning: readonly number[]): boolean =>
  beginning.every((byte, index) => bytes[index] === byte);

const isSmall = (width: number, height: number): boolean =>
  width > 0 && height > 0 && width <= maxSide && height <= maxSide;
