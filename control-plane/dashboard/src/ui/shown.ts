/**
 * Characters that are not seen, or that turn the text around them about: control, bidirectional and zero-width ones. Joiners are left,
 * which some scripts and emoji need.
 */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with each of them as an escape, so that a reader sees what is stored. */
export function shown(text: string): string {
  return text.replace(UNSEEN, character => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}
