import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/Button';
import { Banner } from '../../../ui/Feedback';
import { refusalText } from '../../../ui/refusalText';
import { say } from '../../../ui/say';
import { useOnline } from '../../../ui/useOnline';
import { setPermissions } from '../queries';
import styles from './Matrix.module.css';
import { type Draft, NO_DRAFT, rowsOf, without } from './matrix';
import { matrix } from './messages';

interface SaveBarProps {
  draft: Draft;
  onDraft: (change: (draft: Draft) => Draft) => void;
}

/** Saves what was edited: one change for each member. What was refused stays edited, with the reason. */
export function SaveBar({ draft, onDraft }: SaveBarProps) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const [isPending, setPending] = useState(false);
  const [refused, setRefused] = useState<readonly { id: string; text: string }[]>([]);

  async function save() {
    setPending(true);
    const failures: { id: string; text: string }[] = [];
    const done: { id: string; name: string }[] = [];
    for (const [id, member] of draft) {
      const answer = await setPermissions(id, rowsOf(member));
      if (answer.ok) done.push({ id, name: member.name });
      else failures.push({ id, text: matrix.refused(member.name, refusalText(answer.refusal)) });
    }
    await client.invalidateQueries({ queryKey: ['team'] });
    setRefused(failures);
    onDraft(now =>
      without(
        now,
        done.map(({ id }) => id),
      ),
    );
    setPending(false);
    if (done.length > 0) say(matrix.saved(done.map(({ name }) => name)));
  }

  if (draft.size === 0) return null;
  const left = refused.filter(({ id }) => draft.has(id));
  return (
    <div className={styles.bar}>
      {left.length === 0 ? null : (
        <Banner tone="bad">
          {left.map(({ id, text }) => (
            <p key={id}>{text}</p>
          ))}
        </Banner>
      )}
      <div className="row apart">
        <span role="status">{matrix.pending(draft.size)}</span>
        <span className="row">
          <Button
            isDisabled={isPending}
            onPress={() => {
              setRefused([]);
              onDraft(() => NO_DRAFT);
            }}
          >
            {matrix.discard()}
          </Button>
          <Button look="primary" isPending={isPending} isDisabled={!isOnline} onPress={() => void save()}>
            {matrix.save()}
          </Button>
        </span>
      </div>
    </div>
  );
}
