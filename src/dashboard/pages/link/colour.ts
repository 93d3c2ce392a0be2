const colourPattern = /^#[0-9a-f]{6}$/i;

export const isColour = (text: string): boolean => colourPattern.test(text);

/** The relative luminance of WCAG: 0 is black, 1 is white. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export const contrast = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
};

const minContrast = 3;

/** A warning if phones may fail to read a code in these colours; otherwise null. */
export function readability(foreground: string, background: string): string | null {
  const ratio = contrast(foreground, background);
  if (ratio < minContrast)
    return `These colours are close (contrast ${ratio.toFixed(1)} of 21): many phones will not read the code. ${minContrast} or more is safe.`;
  if (luminance(foreground) > luminance(background))
    return 'Light on dark: some phones do not read such codes. Dark on light is safe.';
  return null;
}
