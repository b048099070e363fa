/** A sentence of a difference. Names and values are apart from the other words, so that they can be shown in bold. */
export interface Sentence {
  mark: 'added' | 'removed' | 'changed';
  words: Words;
}

export type Words = readonly (string | { name: string })[];

/** Words of ours around names: what is put in is a name, or words of their own. */
export function words(texts: TemplateStringsArray, ...names: readonly (string | Words)[]): Words {
  const parts: (string | { name: string })[] = [];
  texts.forEach((text, index) => {
    if (text !== '') parts.push(text);
    const name = names[index];
    if (typeof name === 'string') parts.push({ name });
    else if (name !== undefined) parts.push(...name);
  });
  return parts;
}

/** The sentence as plain text. */
export function plain(said: Words): string {
  return said.map(part => (typeof part === 'string' ? part : part.name)).join('');
}

export const added = (said: Words): Sentence => ({ mark: 'added', words: said });
export const removed = (said: Words): Sentence => ({ mark: 'removed', words: said });
export const changed = (said: Words): Sentence => ({ mark: 'changed', words: said });
