/** Colours that distinguish environments on light and on dark ground; each has a name, since colour alone is not accessible. */
export const COLORS = [
  { id: 'green', hex: '#22c55e' },
  { id: 'amber', hex: '#f59e0b' },
  { id: 'red', hex: '#ef4444' },
  { id: 'blue', hex: '#3b82f6' },
  { id: 'violet', hex: '#8b5cf6' },
  { id: 'pink', hex: '#ec4899' },
  { id: 'teal', hex: '#14b8a6' },
  { id: 'grey', hex: '#6b7280' },
] as const;

export type ColorId = (typeof COLORS)[number]['id'];

export const DEFAULT_COLOR = '#6b7280';

/** Which of them a colour is; `null` for any other. */
export function colorOf(hex: string): ColorId | null {
  return COLORS.find(color => color.hex === hex.trim().toLowerCase())?.id ?? null;
}

export function isHex(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text.trim());
}

/** The first colour that no environment has yet. */
export function freeColor(taken: readonly string[]): string {
  const used = taken.map(color => color.toLowerCase());
  return COLORS.find(({ hex }) => !used.includes(hex))?.hex ?? DEFAULT_COLOR;
}
