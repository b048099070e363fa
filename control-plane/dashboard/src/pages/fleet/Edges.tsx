import { useState } from 'react';
import { DownloadCsv } from '../../parts/DownloadCsv';
import { Button } from '../../ui/Button';
import { SearchField, Select } from '../../ui/Select';
import { EdgeTable } from './EdgeTable';
import { csvHead, csvRow } from './edgeCsv';
import styles from './Fleet.module.css';
import { fleetPage as words } from './messages';
import { type EdgeState, type Row, SORTS, type Sort, STATES, type View, viewOf } from './rows';

interface EdgesProps {
  rows: readonly Row[];
  view: View;
  envId: string | undefined;
  now: number;
  /** The name of an environment. */
  label: (envId: string) => string;
  onView: (next: View) => void;
}

const ANY = 'any';

/** The table of edges, with what filters and sorts it. */
export function Edges({ rows, view, envId, now, label, onView }: EdgesProps) {
  const [q, setQ] = useState(view.q ?? '');
  const shown = viewOf(rows, { ...view, q });
  const search = (text: string) => {
    setQ(text);
    onView({ q: text });
  };
  const clear = () => {
    setQ('');
    onView({ q: undefined, state: undefined });
  };
  return (
    <section className="stack close" aria-labelledby="edges">
      <div className="row apart">
        <div className="row">
          <h2 id="edges">{words.edges()}</h2>
          <span className="soft small" role="status">
            {words.shown(shown.length, rows.length)}
          </span>
        </div>
        <DownloadCsv
          name={['fleet']}
          head={csvHead()}
          rows={() => shown.map(row => csvRow(row, label))}
          isDisabled={shown.length === 0}
        />
      </div>
      <div className={styles.tools}>
        <SearchField label={words.search()} value={q} onChange={search} />
        <Select
          label={words.stateFilter()}
          choices={[
            { id: ANY, label: words.anyState() },
            ...STATES.map(id => ({ id, label: words.state(id) })),
          ]}
          value={view.state ?? ANY}
          onChange={id => onView({ state: id === ANY ? undefined : (id as EdgeState) })}
        />
        <Select
          label={words.sortBy()}
          choices={SORTS.map(id => ({ id, label: words.sort(id) }))}
          value={view.sort ?? 'trouble'}
          onChange={id => onView({ sort: id === 'trouble' ? undefined : (id as Sort) })}
        />
      </div>
      {shown.length === 0 ? (
        <div className="row">
          <p>{words.noMatch()}</p>
          <Button onPress={clear}>{words.clearFilters()}</Button>
        </div>
      ) : (
        <EdgeTable rows={shown} envId={envId} now={now} />
      )}
    </section>
  );
}
