/** What a bulk edit changes, and what takes it back. */
import { type Edit, isMade, type Result } from '../../../flagState/editFlags';
import type { OverviewFlag } from '../overview';
import type { Selection } from '../selection';

/** Whether an edit changes a flag that is as it was when it was selected. */
export function changes(edit: Edit, flag: OverviewFlag): boolean {
  switch (edit.action) {
    case 'enable':
    case 'disable':
      return (flag.states[edit.env_id ?? '']?.enabled ?? false) !== (edit.action === 'enable');
    case 'tag':
    case 'untag':
      return flag.tags.includes(edit.tag ?? '') !== (edit.action === 'tag');
    case 'archive':
    case 'promote':
    case 'restore':
      return true;
  }
}

const REVERSE = {
  enable: 'disable',
  disable: 'enable',
  tag: 'untag',
  untag: 'tag',
  archive: 'restore',
} as const;

/** The edit that takes another one back, and the flags that it changed; `null` where only history can. */
export function undoOf(
  edit: Edit,
  results: readonly Result[],
  selection: Selection,
): { edit: Edit; keys: string[] } | null {
  const { action } = edit;
  if (action === 'promote' || action === 'restore') return null;
  const keys = results.flatMap(result => {
    const flag = selection.get(result.key);
    return isMade(result) && flag !== undefined && changes(edit, flag) ? [result.key] : [];
  });
  return keys.length === 0 ? null : { edit: { ...edit, action: REVERSE[action] }, keys };
}
