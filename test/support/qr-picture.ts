import { createCanvas, loadImage } from '@napi-rs/canvas';
import jsQR from 'jsqr';

/** Draws a picture as a browser would, large enough to tell the modules of a code apart, and returns its pixels. */
export async function pixelsOf(picture: Buffer) {
  const image = await loadImage(picture);
  const size = Math.max(image.width, 400);
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, size, size);
  return context.getImageData(0, 0, size, size);
}

/** The text of a QR code. */
export async function decode(picture: Buffer): Promise<string | undefined> {
  const { data, width, height } = await pixelsOf(picture);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}
