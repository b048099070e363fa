import { useQueries } from '@tanstack/react-query';
import { t } from '../messages/en';
import { Button } from '../ui/Button';
import { Empty } from '../ui/Feedback';
import type { OverviewEnvironment } from './overview';
import { countQuery } from './queries';
import { type Drop, drops, type FlagsSearch, toQuery } from './urlState';

interface NoMatchProps {
  projectId: string;
  search: FlagsSearch;
  environments: readonly OverviewEnvironment[];
  onChange: (search: FlagsSearch) => void;
}

/** No flag matches: says for each filter how many would without it. */
export function NoMatch({ projectId, search, environments, onChange }: NoMatchProps) {
  const candidates = drops(search);
  const counts = useQueries({
    queries: candidates.map(({ rest }) => countQuery(projectId, toQuery(rest, environments))),
  });
  const helpful = candidates.flatMap((drop, index) => {
    const count = counts[index]?.data ?? 0;
    return count > 0 ? [{ ...drop, count }] : [];
  });
  const { sort, order } = search;
  const clear = () => onChange({ ...(sort && { sort }), ...(order && { order }) });
  return (
    <Empty
      title={t.flags.noneTitle()}
      action={
        <div className="row">
          {helpful.map(({ filter, rest, count }) => (
            <Button key={filter} onPress={() => onChange(rest)}>
              {t.flags.without(nameOf(filter, search, environments), count)}
            </Button>
          ))}
          {candidates.length > 1 || helpful.length === 0 ? (
            <Button onPress={clear}>{t.flags.clear()}</Button>
          ) : null}
        </div>
      }
    >
      {helpful.length > 0 ? t.flags.none() : t.flags.noneOfAny()}
    </Empty>
  );
}

function nameOf(
  filter: Drop['filter'],
  search: FlagsSearch,
  environments: readonly OverviewEnvironment[],
): string {
  switch (filter) {
    case 'q':
      return t.flags.filterText(search.q ?? '');
    case 'tag':
      return t.flags.filterTag(search.tag ?? '');
    case 'type':
      return t.flags.filterType(search.type ?? '');
    case 'state': {
      const environment = environments.find(({ slug }) => slug === search.env);
      return t.flags.filterState(search.state ?? '', environment?.name);
    }
  }
}
