import { useState } from 'react';
import { mergeFields } from '../../diff/mergeFields';
import { diff } from '../../diff/messages';
import { Sentences } from '../../diff/Sentences';
import { plain } from '../../diff/sentence';
import { t } from '../../messages/en';
import { Conflicts } from '../../parts/Conflicts';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { segmentDifferences } from './differences';
import { segments as words } from './messages';
import type { SegmentFields } from './queries';

interface MeanwhileDialogProps {
  base: SegmentFields;
  mine: SegmentFields;
  theirs: SegmentFields;
  /** With what is to be saved over `theirs`. */
  onContinue: (merged: SegmentFields) => void;
  onClose: () => void;
}

type Field = keyof SegmentFields;

/** After another person saved: their changes, and a choice for each field that both changed. */
export function MeanwhileDialog({ base, mine, theirs, onContinue, onClose }: MeanwhileDialogProps) {
  const { merged, conflicts } = mergeFields(base, mine, theirs);
  const [sides, setSides] = useState<Partial<Record<Field, 'mine' | 'theirs'>>>({});
  const left = conflicts.filter(field => sides[field] === undefined).length;

  function result(): SegmentFields {
    const kept = conflicts.filter(field => sides[field] === 'theirs');
    return { ...merged, ...Object.fromEntries(kept.map(field => [field, theirs[field]])) };
  }

  return (
    <Dialog title={diff.meanwhileTitle()} isOpen isWide onClose={onClose}>
      <p>{diff.meanwhile()}</p>
      <section className="stack close">
        <h3>{diff.theirs()}</h3>
        <Sentences sentences={segmentDifferences(base, theirs)} />
      </section>
      <Conflicts
        conflicts={conflicts.map(field => ({
          field,
          mine: told(base, mine, field),
          theirs: told(base, theirs, field),
          chosen: sides[field] ?? null,
        }))}
        onChoose={(field, side) => setSides({ ...sides, [field]: side })}
      />
      <DialogActions>
        <span className="soft" role="status">
          {left > 0 ? diff.left(left) : ''}
        </span>
        <Button onPress={onClose}>{t.common.cancel()}</Button>
        <Button look="primary" isDisabled={left > 0} onPress={() => onContinue(result())}>
          {diff.goOn()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The change of a field by one of the two. */
function told(base: SegmentFields, side: SegmentFields, field: Field): string {
  const sentences = segmentDifferences(base, { ...base, [field]: side[field] });
  return sentences.map(({ words: said }) => words.sentence(plain(said))).join(' ');
}
