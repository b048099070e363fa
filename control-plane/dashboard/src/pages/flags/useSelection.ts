import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { OverviewFlag, OverviewQuery } from './overview';
import { overviewQuery, PAGE_SIZE } from './queries';
import { between, type Selection, withFlags } from './selection';

const NONE: Selection = new Map();

/** The chosen flags of the table. With Shift, all from the last one that was chosen; another order or filter chooses none. */
export function useSelection(projectId: string, query: OverviewQuery) {
  const client = useQueryClient();
  const [selection, setSelection] = useState<Selection>(NONE);
  const anchor = useRef<number | null>(null);
  const order = JSON.stringify(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query has other rows
  useEffect(() => {
    setSelection(NONE);
    anchor.current = null;
  }, [order]);

  /** The flags of these rows; pages that are not here yet are loaded. */
  const flagsAt = useCallback(
    async (rows: readonly number[]): Promise<OverviewFlag[]> => {
      const pages = [...new Set(rows.map(row => Math.floor(row / PAGE_SIZE)))];
      const loaded = await Promise.all(
        pages.map(page => client.ensureQueryData(overviewQuery(projectId, query, page))),
      );
      return rows.flatMap(row => {
        const flag = loaded[pages.indexOf(Math.floor(row / PAGE_SIZE))]?.data[row % PAGE_SIZE];
        return flag === undefined ? [] : [flag];
      });
    },
    [client, projectId, query],
  );

  const select = useCallback(
    async (row: number, flag: OverviewFlag, isOn: boolean, isRange: boolean) => {
      const from = anchor.current;
      anchor.current = row;
      const flags = isRange && from !== null ? await flagsAt(between(from, row)) : [flag];
      setSelection(before => withFlags(before, flags, isOn));
    },
    [flagsAt],
  );

  const selectFirst = useCallback(
    async (count: number) => {
      const flags = await flagsAt(between(0, count - 1));
      setSelection(withFlags(NONE, flags, true));
    },
    [flagsAt],
  );

  const clear = useCallback(() => setSelection(NONE), []);
  return { selection, select, selectFirst, clear };
}
