import { expect, it } from 'vitest';
import { personalParts, strengthOf } from './strength';

const ABOUT = ['Ada Lovelace', 'ada.lovelace@example.com'];

it.each([
  ['', 'weak'],
  ['Ab-1', 'weak'],
  ['Abcdefg-1', 'weak'],
  ['Aaaaaaaaaaaaaaaa-1', 'weak'],
  ['Passw0rd!', 'fair'],
  ['Correct-Horse-7', 'strong'],
  ['correct horse battery staple', 'strong'],
  ['Lovelace-1815', 'weak'],
  ['Ada.Lovelace-1', 'weak'],
  ['Éé-12345', 'weak'],
])('%s is %s', (password, strength) => {
  expect(strengthOf(password, ABOUT)).toBe(strength);
});

it('names what others know of the user', () => {
  expect(personalParts('Lovelace-1815', ABOUT)).toContain('lovelace');
  expect(personalParts('Correct-Horse-7', ABOUT)).toEqual([]);
  // Two letters are in many words.
  expect(personalParts('Block-7-Bo', ['Bo Li'])).toEqual([]);
});
