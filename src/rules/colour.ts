export const defaultColours = { foreground: '#000000', background: '#FFFFFF' } as const;

const hexColour = /^#[0-9a-f]{6}$/i;

export const isColour = (text: string): boolean => hexColour.test(text);

export const sameColour = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
