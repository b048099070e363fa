import { describe, expect, it } from 'vitest';
import { hasToType, mayTurnOn } from './confirm';

describe('a kill is typed', () => {
  it('where the environment is protected', () => {
    expect(hasToType('production', { data: ['production'], isError: false })).toBe(true);
    expect(hasToType('dev', { data: ['production'], isError: false })).toBe(false);
  });

  it('where the service does not tell, and nothing is pressed before it could', () => {
    expect(hasToType('dev', { isError: true })).toBe(true);
    expect(hasToType('dev', { isError: false })).toBeNull();
  });
});

it('who may switch turns on again what was on', () => {
  const me = { role: 'developer' as const, permissions: ['flags.toggle'], environment_permissions: [] };
  expect(mayTurnOn(me, 'dev', true)).toBe(true);
  expect(mayTurnOn(me, 'dev', false)).toBe(false);
  expect(mayTurnOn({ ...me, permissions: ['flags.kill'] }, 'dev', true)).toBe(false);
});
