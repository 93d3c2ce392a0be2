import type { Link } from '../api-types.ts';

export interface QrStyle {
  readonly foreground: string;
  readonly background: string;
  readonly hasMarker: boolean;
}

export const savedStyle = (link: Link): QrStyle => ({
  foreground: link.qr_code_foreground_hex,
  background: link.qr_code_background_hex,
  hasMarker: link.qr_code_marker,
});

export const svgDataUrl = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

export const pngSizes = [256, 512, 1024, 2048] as const;

/** Every module has the same whole number of pixels; the remainder widens the quiet zone. */
export async function pngOf(svg: string, size: number, background: string): Promise<Blob> {
  const modules = Number(/viewBox='0 0 (\d+) /.exec(svg)?.[1] ?? size);
  const width = modules * Math.max(1, Math.floor(size / modules));
  const picture = new Image();
  // Some browsers don't draw an SVG without a size.
  picture.src = svgDataUrl(svg.replace('<svg ', `<svg width="${width}" height="${width}" `));
  await picture.decode();
  const canvas = new OffscreenCanvas(size, size);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws no pictures');
  context.imageSmoothingEnabled = false;
  context.fillStyle = background;
  context.fillRect(0, 0, size, size);
  const edge = Math.floor((size - width) / 2);
  context.drawImage(picture, edge, edge, width, width);
  return canvas.convertToBlob({ type: 'image/png' });
}
