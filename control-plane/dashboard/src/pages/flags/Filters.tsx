import { useEffect, useState } from 'react';
import { Button } from '../../ui/Button';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { SearchField, Select } from '../../ui/Select';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import { NEWEST, ORDERS, orderId, orderOf } from './orders';
import type { OverviewEnvironment } from './overview';
import { type Change, FLAG_TYPES, type FlagsSearch, isFiltered, STATES } from './urlState';

const SavedFilters = part(() => import('./saved/SavedFilters'));

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 200;
export const SEARCH_ID = 'flag-search';
const ANY = 'any';

interface FiltersProps {
  projectId: string;
  search: FlagsSearch;
  environments: readonly OverviewEnvironment[];
  tags: readonly { tag: string; count: number }[];
  /** The name of the owner in the address, where a flag on the screen has it. */
  ownerName: string | undefined;
  /** `undefined` takes a filter away. */
  onChange: (change: Change) => void;
}

export function Filters({ projectId, search, environments, tags, ownerName, onChange }: FiltersProps) {
  const order = orderOf(search);
  const [isSavedOpen, setSavedOpen] = useState(false);
  const closeSaved = () => setSavedOpen(false);
  const owners = ['me', 'none'];
  if (search.owner !== undefined && !owners.includes(search.owner)) owners.push(search.owner);
  return (
    <search className={styles.filters} aria-label={flagsPage.filters()}>
      <Query
        key={search.q === undefined ? 'empty' : 'set'}
        q={search.q ?? ''}
        onChange={q => onChange({ q: q === '' ? undefined : q })}
      />
      <Select
        label={flagsPage.owner()}
        isLabelHidden
        choices={[
          { id: ANY, label: flagsPage.anyOwner() },
          ...owners.map(id => ({ id, label: flagsPage.ownerName(id, ownerName) })),
        ]}
        value={search.owner ?? ANY}
        onChange={id => onChange({ owner: id === ANY ? undefined : id })}
      />
      <Select
        label={flagsPage.type()}
        isLabelHidden
        choices={[
          { id: ANY, label: flagsPage.anyType() },
          ...FLAG_TYPES.map(id => ({ id, label: flagsPage.typeName(id) })),
        ]}
        value={search.type ?? ANY}
        onChange={id => onChange({ type: FLAG_TYPES.find(type => type === id) })}
      />
      <Select
        label={flagsPage.tag()}
        isLabelHidden
        choices={[
          { id: ANY, label: flagsPage.anyTag() },
          ...withChosen(tags, search.tag).map(({ tag, count }) => ({
            id: `=${tag}`,
            label: flagsPage.tagCount(tag, count),
          })),
        ]}
        value={search.tag === undefined ? ANY : `=${search.tag}`}
        onChange={id => onChange({ tag: id === ANY ? undefined : id.slice(1) })}
      />
      <Select
        label={flagsPage.column('status')}
        isLabelHidden
        choices={[
          { id: ANY, label: flagsPage.anyStatus() },
          { id: 'true', label: flagsPage.isStale('true') },
          { id: 'false', label: flagsPage.isStale('false') },
        ]}
        value={search.stale ?? ANY}
        onChange={id => onChange({ stale: id === 'true' || id === 'false' ? id : undefined })}
      />
      <Select
        label={flagsPage.state()}
        isLabelHidden
        choices={[
          { id: ANY, label: flagsPage.anyState() },
          ...STATES.map(id => ({ id, label: flagsPage.stateName(id) })),
        ]}
        value={search.state ?? ANY}
        onChange={id => {
          const state = STATES.find(candidate => candidate === id);
          onChange(state === undefined ? { state, env: undefined } : { state });
        }}
      />
      {search.state === undefined ? null : (
        <Select
          label={flagsPage.environment()}
          isLabelHidden
          choices={[
            { id: ANY, label: flagsPage.anyEnvironment() },
            ...environments.map(({ slug, name }) => ({
              id: `=${slug}`,
              label: flagsPage.inEnvironment(name),
            })),
          ]}
          value={search.env === undefined ? ANY : `=${search.env}`}
          onChange={id => onChange({ env: id === ANY ? undefined : id.slice(1) })}
        />
      )}
      <Select
        label={flagsPage.sort()}
        isLabelHidden
        choices={ORDERS.map(one => ({ id: orderId(one), label: flagsPage.order(one.sort, one.order) }))}
        value={orderId(order)}
        onChange={id => {
          const chosen = ORDERS.find(one => orderId(one) === id);
          onChange(
            chosen === NEWEST || chosen === undefined ? { sort: undefined, order: undefined } : chosen,
          );
        }}
      />
      {isFiltered(search) ? (
        <Button
          look="quiet"
          onPress={() =>
            onChange({
              q: undefined,
              owner: undefined,
              tag: undefined,
              type: undefined,
              stale: undefined,
              state: undefined,
              env: undefined,
            })
          }
        >
          {flagsPage.clear()}
        </Button>
      ) : null}
      <Button look="quiet" onPress={() => setSavedOpen(true)}>
        {flagsPage.saved()}
      </Button>
      <Optional onClose={closeSaved}>
        {isSavedOpen ? <SavedFilters projectId={projectId} search={search} onClose={closeSaved} /> : null}
      </Optional>
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

/** Typed text is shown at once and searched for after a pause. */
function Query({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(q);

  useEffect(() => {
    if (typed === q) return;
    const timer = setTimeout(() => onChange(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, q, onChange]);

  return <SearchField id={SEARCH_ID} label={flagsPage.search()} value={typed} onChange={setTyped} />;
}
