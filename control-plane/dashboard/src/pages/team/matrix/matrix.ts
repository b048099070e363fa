/** What members may do in environments, and what of it is edited. */
import type { Access, TeamMember } from '../queries';

export type Kind = 'can_toggle' | 'can_edit_rules';
export const KINDS: readonly Kind[] = ['can_toggle', 'can_edit_rules'];

export type Cell = Pick<Access, Kind>;

/** Edited cells, by member and environment. Only members and cells that differ from what is stored are there. */
export type Draft = ReadonlyMap<string, Edited>;

interface Edited {
  name: string;
  cells: ReadonlyMap<string, Cell>;
}

export const NO_DRAFT: Draft = new Map();

type Row = Pick<TeamMember, 'member_id' | 'name' | 'permissions' | 'role'>;

/** Without a stored row a developer may do both. */
export function storedCell({ permissions }: Pick<Row, 'permissions'>, envId: string): Cell {
  const row = permissions.find(({ env_id }) => env_id === envId);
  return { can_toggle: row?.can_toggle ?? true, can_edit_rules: row?.can_edit_rules ?? true };
}

export function cellOf(draft: Draft, member: Row, envId: string): Cell {
  return draft.get(member.member_id)?.cells.get(envId) ?? storedCell(member, envId);
}

/** Why a check has no effect, and what holds instead. */
export interface Moot {
  reason: 'manager' | 'viewer' | 'custom';
  value: boolean;
}

/** The keys of a custom role without which a check has no effect. */
const NEEDS: Record<Kind, readonly string[]> = {
  can_toggle: ['flags.toggle', 'flags.kill', 'flags.promote'],
  can_edit_rules: ['flags.edit_rules', 'flags.promote'],
};

/** `held` are the keys of the member's custom role; `null` without one, or when they are not known. */
export function mootness(role: TeamMember['role'], held: readonly string[] | null, kind: Kind): Moot | null {
  if (role === 'owner' || role === 'admin') return { reason: 'manager', value: true };
  if (role === 'viewer') return { reason: 'viewer', value: false };
  if (held !== null && !NEEDS[kind].some(key => held.includes(key)))
    return { reason: 'custom', value: false };
  return null;
}

/** The draft after one check was changed. */
export function edited(draft: Draft, member: Row, envId: string, kind: Kind, value: boolean): Draft {
  const cells = new Map(draft.get(member.member_id)?.cells);
  const cell = { ...cellOf(draft, member, envId), [kind]: value };
  const stored = storedCell(member, envId);
  if (cell.can_toggle === stored.can_toggle && cell.can_edit_rules === stored.can_edit_rules) {
    cells.delete(envId);
  } else {
    cells.set(envId, cell);
  }
  const next = new Map(draft);
  if (cells.size === 0) next.delete(member.member_id);
  else next.set(member.member_id, { name: member.name, cells });
  return next;
}

/** What is sent for one member: the environments that differ. */
export function rowsOf({ cells }: Edited): Access[] {
  return [...cells].map(([env_id, cell]) => ({ env_id, ...cell }));
}

/** The draft without members whose changes are stored. */
export function without(draft: Draft, memberIds: readonly string[]): Draft {
  return new Map([...draft].filter(([id]) => !memberIds.includes(id)));
}

export interface Place {
  row: number;
  column: number;
}

/** Where an arrow leads from a check; `null` for other keys. */
export function moved({ row, column }: Place, key: string, rows: number, columns: number): Place | null {
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  switch (key) {
    case 'ArrowUp':
      return { row: within(row - 1, rows), column };
    case 'ArrowDown':
      return { row: within(row + 1, rows), column };
    case 'ArrowLeft':
      return { row, column: within(column - 1, columns) };
    case 'ArrowRight':
      return { row, column: within(column + 1, columns) };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: columns - 1 };
    default:
      return null;
  }
}
