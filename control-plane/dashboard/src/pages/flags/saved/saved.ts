/** Filters that were named, kept in this browser for a user in each project until they sign out. */
import { SAVED_FILTERS } from '../../../session/kept';
import { createStored } from '../../../ui/createStore';
import { type FlagsSearch, readFlagsSearch } from '../urlState';

export const MOST = 20;
export const LONGEST_NAME = 60;
/** Of more projects, those that were written to last are kept. */
const MOST_PROJECTS = 50;
/** Longer filters are not kept. */
const LONGEST_SEARCH = 2000;

export interface SavedFilter {
  name: string;
  search: FlagsSearch;
}

/** `of` is a user and a project. */
type Kept = [of: string, filters: SavedFilter[]][];

/** What was kept before, whatever became of it in the meantime. */
export function readKept(text: string | null): Kept {
  try {
    const read: unknown = JSON.parse(text ?? '');
    if (!Array.isArray(read)) return [];
    return read.slice(-MOST_PROJECTS).flatMap(entry => {
      if (!Array.isArray(entry) || typeof entry[0] !== 'string' || !Array.isArray(entry[1])) return [];
      return [[entry[0], entry[1].flatMap(readFilter).slice(0, MOST)]] satisfies Kept;
    });
  } catch {
    return [];
  }
}

function readFilter(filter: unknown): SavedFilter[] {
  if (typeof filter !== 'object' || filter === null) return [];
  const { name, search } = filter as Record<string, unknown>;
  if (typeof name !== 'string' || typeof search !== 'object' || search === null) return [];
  return [{ name: name.slice(0, LONGEST_NAME), search: readFlagsSearch(search as Record<string, unknown>) }];
}

/** With a filter more, in the place of one of the same name; `null` where there is no room for it. */
export function withFilter(filters: readonly SavedFilter[], added: SavedFilter): SavedFilter[] | null {
  const name = added.name.trim().slice(0, LONGEST_NAME);
  if (name === '' || JSON.stringify(added.search).length > LONGEST_SEARCH) return null;
  const place = filters.findIndex(filter => filter.name === name);
  const filter = { name, search: added.search };
  if (place >= 0) return filters.with(place, filter);
  return filters.length < MOST ? [...filters, filter] : null;
}

/** With other filters of a project, which is the last one then. */
export function withProject(kept: Kept, of: string, filters: readonly SavedFilter[]): Kept {
  const others = kept.filter(([id]) => id !== of);
  const all: Kept = filters.length === 0 ? others : [...others, [of, [...filters]]];
  return all.slice(-MOST_PROJECTS);
}

const stored = createStored(SAVED_FILTERS);

export function useSavedFilters(of: string) {
  const filters = readKept(stored.use()).find(([id]) => id === of)?.[1] ?? [];
  const set = (next: readonly SavedFilter[]) => {
    const kept = withProject(readKept(stored.get()), of, next);
    stored.set(kept.length === 0 ? null : JSON.stringify(kept));
  };
  return { filters, set };
}
