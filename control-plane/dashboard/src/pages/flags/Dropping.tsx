import { useQueries } from '@tanstack/react-query';
import { Button } from '../../ui/Button';
import { flagsPage } from './messages';
import { totalQuery } from './queries';
import { droppable, type FlagsSearch, toQuery } from './urlState';

interface DroppingProps {
  projectId: string;
  search: FlagsSearch;
  known: readonly { id: string; slug: string; name: string }[];
  onChange: (change: { [K in keyof FlagsSearch]?: FlagsSearch[K] | undefined }) => void;
}

/** Where nothing matches: which filter to drop, by what there would be without it. */
export function Dropping({ projectId, search, known, onChange }: DroppingProps) {
  const filters = droppable(search);
  const totals = useQueries({
    queries: filters.map(({ without }) => totalQuery(projectId, toQuery(without, known))),
  });
  const nameOf = (filter: (typeof filters)[number]['filter']): string => {
    switch (filter) {
      case 'q':
        return flagsPage.dropText(search.q ?? '');
      case 'tag':
        return flagsPage.dropTag(search.tag ?? '');
      case 'type':
        return flagsPage.dropType(search.type ?? '');
      case 'state':
        return flagsPage.dropState(
          search.state ?? '',
          known.find(({ slug }) => slug === search.env)?.name ?? null,
        );
    }
  };
  const helping = filters.flatMap(({ filter, drop }, index) => {
    const total = totals[index]?.data ?? 0;
    return total > 0 ? [{ filter, drop, total }] : [];
  });
  if (helping.length === 0) return null;
  return (
    <div className="row">
      {helping.map(({ filter, drop, total }) => (
        <Button key={filter} onPress={() => onChange(drop)}>
          {flagsPage.drop(nameOf(filter), total)}
        </Button>
      ))}
    </div>
  );
}
