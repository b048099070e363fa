import { describe, expect, it } from 'vitest';
import { added, keptFor, MOST } from './recent';

describe('recent contexts', () => {
  it('are ten at most, the newest first, each once', () => {
    let contexts: readonly string[] = [];
    for (let number = 0; number < 15; number += 1) contexts = added(contexts, `{"key":"${number}"}`);
    expect(contexts).toHaveLength(MOST);
    expect(contexts[0]).toBe('{"key":"14"}');
    expect(added(contexts, '{"key":"9"}').slice(0, 2)).toEqual(['{"key":"9"}', '{"key":"14"}']);
    expect(added(contexts, '{"key":"9"}')).toHaveLength(MOST);
  });

  it('a very long one is not kept', () => {
    expect(added(['a'], 'x'.repeat(20_000))).toEqual(['a']);
  });

  it.each([
    ['ada', ['{}']],
    ['eve', []],
  ])('of ada are shown to %s as %j', (user, contexts) => {
    expect(keptFor(user, '{"user":"ada","contexts":["{}"]}')).toEqual(contexts);
  });

  it.each([null, '', '7', '[]', '{"user":"ada"}', '{"user":"ada","contexts":[7]}', '{'])(
    '%j in the store is none',
    stored => {
      expect(keptFor('ada', stored)).toEqual([]);
    },
  );
});
