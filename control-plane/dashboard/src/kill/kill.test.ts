import { describe, expect, it } from 'vitest';
import { hasToType, mayTurnOn } from './confirm';
import { perMinute, span } from './load';
import { mayKill } from './mayKill';

describe('evaluations a minute', () => {
  it('are those of whole minutes, over all series', () => {
    const minutes = span(Date.parse('2026-01-02T15:04:35Z'));
    expect(new Date(minutes.to * 1000).toISOString()).toBe('2026-01-02T15:04:00.000Z');
    const at = (minute: number) => minutes.to + minute * 60;
    const one = {
      flag_key: 'a',
      env_id: 'e',
      value: true,
      value_digest: null,
      variant_key: '',
      reason: 'TARGETED',
    };
    const series = [
      {
        ...one,
        points: [
          [at(-6), 1000],
          [at(-5), 10],
          [at(-1), 20],
          [at(0), 1000],
        ],
      },
      { ...one, points: [[at(-2), 22]] },
    ];
    expect(perMinute({ series }, minutes)).toBe(10);
    expect(perMinute({ series: [] }, minutes)).toBe(0);
  });
});

describe('who may kill', () => {
  const forbidden = [{ env_id: 'production', can_toggle: false, can_edit_rules: true }];
  const developer = {
    role: 'developer' as const,
    permissions: ['flags.kill'],
    environment_permissions: forbidden,
  };

  it('needs the permission, not that of switching', () => {
    expect(mayKill(developer, 'dev')).toBe(true);
    expect(mayKill({ ...developer, permissions: ['flags.toggle'] }, 'dev')).toBe(false);
  });

  it('a developer may not where switching is forbidden, an admin may', () => {
    expect(mayKill(developer, 'production')).toBe(false);
    expect(mayKill({ ...developer, role: 'admin' }, 'production')).toBe(true);
  });
});

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
