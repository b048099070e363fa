import { expect, it } from 'vitest';
import { csv, csvName } from './csv';

it('writes a head and rows, and quotes where it must', () => {
  const rows = [
    ['plain', 1, true, null],
    ['a,b', 2.5, false, 'say "hi"'],
    ['two\nlines', -3, true, ' edge'],
  ] as const;
  expect(csv(['Name', 'Count', 'On', 'Note'], rows)).toBe(
    'Name,Count,On,Note\r\nplain,1,true,\r\n"a,b",2.5,false,"say ""hi"""\r\n"two\nlines",-3,true," edge"\r\n',
  );
});

it('keeps spreadsheets from calculating texts', () => {
  for (const text of ['=1+1', '+1', '-1', '@cmd', '|x', '%x', '\t=1', ' =1', '\r=1']) {
    const [, row = ''] = csv(['a'], [[text]]).split('a\r\n');
    expect(row.startsWith(`'${text}`) || row.startsWith(`"'${text}`), JSON.stringify(text)).toBe(true);
  }
  expect(csv(['a'], [['1=1'], ['a-b'], [-1]])).toBe('a\r\n1=1\r\na-b\r\n-1\r\n');
});

it('names files by plain words', () => {
  const now = new Date('2026-05-04T12:00:00Z');
  expect(csvName(['insights', 'my flag/../x', ''], now)).toBe('insights-my-flag-..-x-2026-05-04.csv');
});
