import { useMemo, useState } from 'react';
import { isSame } from '../flagState/isSame';
import { shown } from '../ui/shown';
import { Tabs } from '../ui/Tabs';
import styles from './Diff.module.css';
import { differences } from './differences';
import { folded, jsonLines } from './lines';
import { diff } from './messages';
import { Sentences } from './Sentences';
import type { Names, Parts } from './versions';

interface DifferenceProps {
  before: Parts;
  after: Parts;
  names: Names;
  /** What the tab shows in place of the parts, where those have more than what is compared. */
  json?: { before: unknown; after: unknown };
}

/** The difference: sentences first, the JSON of both behind a tab. */
export function Difference({ before, after, names, json }: DifferenceProps) {
  const [tab, setTab] = useState('sentences');
  const sentences = useMemo(() => differences(before, after, names), [before, after, names]);
  const isTold = sentences.length > 0 || json === undefined || isSame(json.before, json.after);
  if (!isTold) return <Json {...json} />;
  if (sentences.length === 0) return <p className="soft">{diff.nothing()}</p>;
  return (
    <Tabs
      label={diff.view()}
      value={tab}
      onChange={setTab}
      tabs={[
        {
          id: 'sentences',
          label: diff.sentences(),
          content: <Sentences sentences={sentences} />,
        },
        {
          id: 'json',
          label: diff.json(),
          content: <Json before={json?.before ?? inside(before)} after={json?.after ?? inside(after)} />,
        },
      ]}
    />
  );
}

/** Two values line by line. */
export function Json({ before, after }: { before: unknown; after: unknown }) {
  const blocks = useMemo(() => folded(jsonLines(before, after)), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className={styles.json} aria-label={diff.json()} tabIndex={0}>
      <ol>
        {blocks.map((block, place) =>
          block.kind === 'hidden' ? (
            <li key={place} className={styles.hiddenLines}>
              {diff.sameLines(block.count)}
            </li>
          ) : (
            block.lines.map(({ kind, text }, index) => (
              <li
                key={`${place}/${index}`}
                className={`${styles.line} ${kind === 'same' ? '' : styles[kind]}`}
              >
                {kind === 'same' ? null : (
                  <span className="hidden">{kind === 'added' ? diff.added() : diff.removed()} </span>
                )}
                {shown(text)}
              </li>
            ))
          ),
        )}
      </ol>
    </section>
  );
}

/** A single part is shown by itself. */
function inside({ flag, state }: Parts): unknown {
  if (flag === undefined) return state;
  return state === undefined ? flag : { flag, state };
}
