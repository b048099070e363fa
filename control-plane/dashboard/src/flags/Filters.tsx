import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../messages/en';
import { Button, IconButton } from '../ui/Button';
import { SearchField, Select } from '../ui/Select';
import styles from './Flags.module.css';
import type { OverviewEnvironment } from './overview';
import { FLAG_TYPES, type FlagsSearch, isFiltered, SORTS, STATES } from './urlState';

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 200;
export const SEARCH_ID = 'flag-search';
const ANY = 'any';

interface FiltersProps {
  search: FlagsSearch;
  environments: readonly OverviewEnvironment[];
  tags: readonly { tag: string; count: number }[];
  /** `undefined` takes a filter away. */
  onChange: (change: { [K in keyof FlagsSearch]?: FlagsSearch[K] | undefined }) => void;
}

export function Filters({ search, environments, tags, onChange }: FiltersProps) {
  const isAscending = (search.order ?? 'asc') === 'asc';
  return (
    <search className={styles.filters} aria-label={t.flags.filters()}>
      <Query
        key={search.q === undefined ? 'empty' : 'set'}
        q={search.q ?? ''}
        onChange={q => onChange({ q: q === '' ? undefined : q })}
      />
      <Select
        label={t.flags.type()}
        isLabelHidden
        choices={[
          { id: ANY, label: t.flags.anyType() },
          ...FLAG_TYPES.map(id => ({ id, label: t.flags.typeName(id) })),
        ]}
        value={search.type ?? ANY}
        onChange={id => onChange({ type: FLAG_TYPES.find(type => type === id) })}
      />
      <Select
        label={t.flags.tag()}
        isLabelHidden
        choices={[
          { id: ANY, label: t.flags.anyTag() },
          ...withChosen(tags, search.tag).map(({ tag, count }) => ({
            id: `=${tag}`,
            label: t.flags.tagCount(tag, count),
          })),
        ]}
        value={search.tag === undefined ? ANY : `=${search.tag}`}
        onChange={id => onChange({ tag: id === ANY ? undefined : id.slice(1) })}
      />
      <Select
        label={t.flags.state()}
        isLabelHidden
        choices={[
          { id: ANY, label: t.flags.anyState() },
          ...STATES.map(id => ({ id, label: t.flags.stateName(id) })),
        ]}
        value={search.state ?? ANY}
        onChange={id => {
          const state = STATES.find(candidate => candidate === id);
          onChange(state === undefined ? { state, env: undefined } : { state });
        }}
      />
      {search.state === undefined ? null : (
        <Select
          label={t.flags.environment()}
          isLabelHidden
          choices={[
            { id: ANY, label: t.flags.anyEnvironment() },
            ...environments.map(({ slug, name }) => ({ id: `=${slug}`, label: t.flags.inEnvironment(name) })),
          ]}
          value={search.env === undefined ? ANY : `=${search.env}`}
          onChange={id => onChange({ env: id === ANY ? undefined : id.slice(1) })}
        />
      )}
      <Select
        label={t.flags.sort()}
        isLabelHidden
        choices={SORTS.map(id => ({ id, label: t.flags.sortBy(id) }))}
        value={search.sort ?? 'created_at'}
        onChange={id => onChange({ sort: SORTS.find(sort => sort === id) })}
      />
      <IconButton
        label={isAscending ? t.flags.ascending() : t.flags.descending()}
        look="secondary"
        onPress={() => onChange({ order: isAscending ? 'desc' : 'asc' })}
      >
        {isAscending ? <ArrowUp size={16} aria-hidden /> : <ArrowDown size={16} aria-hidden />}
      </IconButton>
      {isFiltered(search) ? (
        <Button
          look="quiet"
          onPress={() =>
            onChange({ q: undefined, tag: undefined, type: undefined, state: undefined, env: undefined })
          }
        >
          {t.flags.clear()}
        </Button>
      ) : null}
    </search>
  );
}

/** The tag of the address is a choice even if no flag has it. */
function withChosen(
  tags: FiltersProps['tags'],
  chosen: string | undefined,
): readonly { tag: string; count: number }[] {
  if (chosen === undefined || tags.some(({ tag }) => tag === chosen)) return tags;
  return [...tags, { tag: chosen, count: 0 }];
}

/** What is typed is shown at once and asked for after a pause. */
function Query({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(q);

  useEffect(() => {
    if (typed === q) return;
    const timer = setTimeout(() => onChange(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, q, onChange]);

  return <SearchField id={SEARCH_ID} label={t.flags.search()} value={typed} onChange={setTyped} />;
}
