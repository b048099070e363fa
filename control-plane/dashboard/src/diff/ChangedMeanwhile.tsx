import { useMemo, useState } from 'react';
import { t } from '../messages/en';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import styles from './Diff.module.css';
import { differences } from './differences';
import { merge } from './merge';
import type { Choices, Conflict, Side } from './merging';
import { diff } from './messages';
import { Sentences } from './Sentences';
import type { Names, Parts } from './versions';

interface ChangedMeanwhileProps {
  base: Parts;
  mine: Parts;
  theirs: Parts;
  /** Who saved meanwhile, `null` for the system; left out where it is not known. */
  by?: { name: string | null; at: string } | undefined;
  names: Names;
  /** With what is to be stored over `theirs`. */
  onContinue: (merged: Parts) => void;
  onCancel: () => void;
}

/** After a 412: what they changed, what goes together by itself, and a choice for each thing that both changed. */
export function ChangedMeanwhile({
  base,
  mine,
  theirs,
  by,
  names,
  onContinue,
  onCancel,
}: ChangedMeanwhileProps) {
  const [choices, setChoices] = useState<Choices>({});
  const [openedAt] = useState(Date.now);
  const { merged, conflicts } = useMemo(
    () => merge(base, mine, theirs, choices),
    [base, mine, theirs, choices],
  );
  const left = conflicts.filter(({ field }) => choices[field] === undefined).length;
  const result = differences(theirs, merged, names);
  return (
    <Dialog title={diff.meanwhileTitle()} isOpen isWide onClose={onCancel}>
      <p>{by === undefined ? diff.meanwhile() : diff.meanwhileBy(by.name, by.at, openedAt)}</p>
      <section className="stack close">
        <h3>{diff.theirs()}</h3>
        <Changes before={base} after={theirs} names={names} />
      </section>
      <section className="stack close">
        <h3>{diff.mine()}</h3>
        <Changes before={base} after={mine} names={names} />
      </section>
      <p>{conflicts.length === 0 ? diff.mergedAlone() : diff.overlaps(conflicts.length)}</p>
      {conflicts.map((conflict, index) => (
        <Overlap
          key={conflict.field}
          legend={diff.overlap(index + 1, conflicts.length)}
          conflict={conflict}
          names={names}
          chosen={choices[conflict.field]}
          onChoose={side => setChoices(before => ({ ...before, [conflict.field]: side }))}
        />
      ))}
      {left > 0 ? null : (
        <section className="stack close">
          <h3>{diff.result()}</h3>
          {result.length === 0 ? (
            <p className="soft">{diff.resultNothing()}</p>
          ) : (
            <Sentences sentences={result} />
          )}
        </section>
      )}
      <DialogActions>
        <span className="soft" role="status">
          {left > 0 ? diff.left(left) : ''}
        </span>
        <Button onPress={onCancel}>{t.common.cancel()}</Button>
        <Button look="primary" isDisabled={left > 0} onPress={() => onContinue(merged)}>
          {diff.goOn()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Changes({ before, after, names }: { before: Parts; after: Parts; names: Names }) {
  const sentences = differences(before, after, names);
  if (sentences.length === 0) return <p className="soft">{diff.unchanged()}</p>;
  return <Sentences sentences={sentences} />;
}

interface OverlapProps {
  legend: string;
  conflict: Conflict;
  names: Names;
  chosen: Side | undefined;
  onChoose: (side: Side) => void;
}

function Overlap({ legend, conflict, names, chosen, onChoose }: OverlapProps) {
  return (
    <fieldset className={styles.overlap}>
      <legend>{legend}</legend>
      {(['mine', 'theirs'] as const).map(side => (
        <label key={side} className={styles.choice}>
          <input
            type="radio"
            name={conflict.field}
            checked={chosen === side}
            onChange={() => onChoose(side)}
          />
          <span>
            <b>{side === 'mine' ? diff.keepMine() : diff.keepTheirs()}</b>
            <Changes before={conflict.base} after={conflict[side]} names={names} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}
