/** The columns beside the environments that this person wants to see. */
import { useMemo } from 'react';
import { createStored } from '../../ui/createStore';

export const COLUMNS = ['status', 'owner', 'changed', 'evaluated'] as const;
export type FlagColumn = (typeof COLUMNS)[number];

const stored = createStored('halyard.flag-columns');

/** All of them until some were chosen. */
export function readColumns(text: string | null): FlagColumn[] {
  if (text === null) return [...COLUMNS];
  const chosen = text.split(',');
  return COLUMNS.filter(column => chosen.includes(column));
}

export function useColumns(): FlagColumn[] {
  const text = stored.use();
  return useMemo(() => readColumns(text), [text]);
}

export function chooseColumns(columns: readonly FlagColumn[]): void {
  stored.set(columns.join(','));
}
