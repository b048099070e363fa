import { expect, it } from 'vitest';
import { enrollCommand, revokeCommand } from './commands';

it('names the edge, its region and its folder', () => {
  expect(enrollCommand(' ams-1 ', 'eu')).toBe('halyard edge enroll --name ams-1 --region eu --out ./ams-1');
  expect(enrollCommand('', null)).toBe('halyard edge enroll --name fra-1 --out ./fra-1');
});

it('quotes what a shell would read otherwise', () => {
  expect(revokeCommand("it's; rm")).toBe(`halyard edge revoke 'it'\\''s; rm'`);
});
