import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../ui/Button';
import { Empty } from '../../ui/Feedback';
import { flagsPage } from './messages';
import { beginningOf, nearest } from './nearest';
import { noMatchWords } from './noMatchMessages';
import { NEWEST } from './orders';
import { overviewQuery, totalQuery } from './queries';
import { type Change, droppable, type FlagsSearch, toQuery } from './urlState';

const SUGGESTED = 5;

interface NoMatchProps {
  projectId: string;
  search: FlagsSearch;
  known: readonly { id: string; slug: string; name: string }[];
  ownerName: string | undefined;
  onChange: (change: Change) => void;
  onClear: () => void;
}

/** Where nothing matches: flags with a similar name, and the filters to drop, by the number of flags without each. */
export default function NoMatch({ projectId, search, known, ownerName, onChange, onClear }: NoMatchProps) {
  const filters = droppable(search);
  const totals = useQueries({
    queries: filters.map(({ without }) => totalQuery(projectId, toQuery(without, known))),
  });
  const helping = filters.flatMap(({ filter, drop }, index) => {
    const total = totals[index]?.data ?? 0;
    return total > 0 ? [{ filter, drop, total }] : [];
  });
  const nameOf = (filter: (typeof filters)[number]['filter']): string => {
    switch (filter) {
      case 'q':
        return noMatchWords.dropText(search.q ?? '');
      case 'owner':
        return noMatchWords.dropOwner(flagsPage.ownerName(search.owner ?? '', ownerName));
      case 'tag':
        return noMatchWords.dropTag(search.tag ?? '');
      case 'type':
        return noMatchWords.dropType(search.type ?? '');
      case 'stale':
        return noMatchWords.dropStatus(flagsPage.isStale(search.stale ?? 'true'));
      case 'state':
        return noMatchWords.dropState(
          search.state ?? '',
          known.find(({ slug }) => slug === search.env)?.name ?? null,
        );
    }
  };
  return (
    <Empty
      title={noMatchWords.noneTitle()}
      action={
        <>
          <Suggested projectId={projectId} typed={search.q ?? ''} />
          {helping.length === 0 ? null : (
            <div className="row">
              {helping.map(({ filter, drop, total }) => (
                <Button key={filter} onPress={() => onChange(drop)}>
                  {noMatchWords.drop(nameOf(filter), total)}
                </Button>
              ))}
            </div>
          )}
          <Button onPress={onClear}>{flagsPage.clear()}</Button>
        </>
      }
    >
      {noMatchWords.none()}
    </Empty>
  );
}

function Suggested({ projectId, typed }: { projectId: string; typed: string }) {
  const beginning = beginningOf(typed);
  const candidates = useQuery({
    ...overviewQuery(projectId, { q: beginning, ...NEWEST }, 0),
    enabled: beginning !== '',
    placeholderData: undefined,
  });
  const flags = nearest(typed, candidates.data?.data ?? [], SUGGESTED);
  if (typed === '' || flags.length === 0) return null;
  return (
    <div className="row">
      <span>{noMatchWords.didYouMean()}</span>
      {flags.map(({ key, name }) => (
        <Link key={key} from="/p/$project/flags" to="$key" params={{ key }} search={{}}>
          {name}
        </Link>
      ))}
    </div>
  );
}
