/** What is known to be refused of a regular expression, before the service says so. */

export type RegexProblem = 'long' | 'look' | 'reference' | 'open' | 'end' | 'repeat';

const MOST_CHARACTERS = 1024;

/**
 * The service's engine takes linear time, so it has neither look-around nor back references. What else it has is its
 * own: this reads only as much as is surely wrong, and `null` does not mean that the service takes it.
 */
export function regexProblem(pattern: string): RegexProblem | null {
  if ([...pattern].length > MOST_CHARACTERS) return 'long';
  let depth = 0;
  let isClass = false;
  let mayRepeat = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '\\') {
      const next = pattern.charAt(at + 1);
      if (next === '') return 'end';
      if (!isClass && /[1-9k]/.test(next)) return 'reference';
      at += 1;
      mayRepeat = true;
    } else if (isClass) {
      if (character === '[' && pattern.charAt(at + 1) === ':')
        at = Math.max(at, pattern.indexOf(':]', at) + 1);
      else if (character === ']') isClass = false;
      mayRepeat = true;
    } else if (character === '[') {
      isClass = true;
      // A bracket right behind the opening one is a character.
      if (pattern.charAt(at + 1) === '^') at += 1;
      if (pattern.charAt(at + 1) === ']') at += 1;
    } else if (character === '(') {
      depth += 1;
      if (/^\(\?(?:[=!]|<[=!])/.test(pattern.slice(at, at + 4))) return 'look';
      const head = /^\(\?(?:P?<\w+>|[a-zA-Z-]*:)?/.exec(pattern.slice(at))?.[0];
      if (head !== undefined) at += head.length - 1;
      mayRepeat = false;
    } else if (character === ')') {
      depth -= 1;
      if (depth < 0) return 'open';
      mayRepeat = true;
    } else if (character === '*' || character === '+' || character === '?') {
      if (!mayRepeat) return 'repeat';
    } else {
      mayRepeat = character !== '|';
    }
  }
  return depth > 0 || isClass ? 'open' : null;
}
