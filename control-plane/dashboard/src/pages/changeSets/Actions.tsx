import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { versionsOf } from '../../changeSets/drafting';
import { type Changes, type Stored, updateChangeSet } from '../../changeSets/queries';
import type { NamedProject } from '../../frame/project';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { say } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { approvals, type Deed, deedsOf } from './deeds';
import { deedWords, words } from './messages';
import { apply, type Difference, remove, reopen, request, undo } from './queries';

const ScheduleDialog = part(() => import('./ScheduleDialog'));
const RenameDialog = part(() => import('./RenameDialog'));

interface ActionsProps {
  project: NamedProject;
  stored: Stored;
  /** The one that is shown; none for a change set that is applied. */
  difference: Difference | undefined;
  isBehind: boolean;
}

/** What this person can do with a change set, each behind a question. */
export function Actions({ project, stored, difference, isBehind }: ActionsProps) {
  const set = stored.data;
  const { user, permissions } = useMe();
  const isOnline = useOnline();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Deed | 'rebase' | null>(null);
  const deeds = deedsOf(set, { id: user.id, permissions });
  if (deeds.length === 0) return null;

  const isConflicting = difference !== undefined && difference.conflicts.length > 0;
  const seen = isConflicting ? difference.version : undefined;
  const lacksApproval = difference !== undefined && approvals(set).length < difference.required_approvals;
  const isHeld = (deed: Deed) =>
    !isOnline ||
    (isBehind && deed !== 'delete' && deed !== 'reopen') ||
    ((deed === 'apply' || deed === 'schedule') && lacksApproval) ||
    // What was approved is applied as it was seen, and what is applied later could overwrite what nobody saw.
    (isConflicting &&
      (deed === 'request' || deed === 'schedule' || (deed === 'apply' && approvals(set).length > 0)));
  const first = deeds.find(deed => !isHeld(deed));
  const close = () => setAsked(null);
  const changed = () => client.invalidateQueries({ queryKey: ['change-sets', project.id] });

  /** What was refused, or nothing once it is done and shown. */
  async function carryOut(deed: Deed | 'rebase', comment: string): Promise<Refusal | null> {
    const answer = await run(deed, stored, difference, { comment, seen });
    if (!answer.ok) {
      void changed();
      return answer.refusal;
    }
    say(deedWords[deed].done);
    const params = { project: project.slug };
    if (deed === 'delete') await navigate({ to: '/p/$project/change-sets', params });
    if (deed === 'undo') {
      const { id } = answer.data as { id: string };
      await navigate({ to: '/p/$project/change-sets/$id', params: { ...params, id } });
    }
    await changed();
    return null;
  }

  return (
    <section className="stack" aria-label={deedWords.actions()}>
      {lacksApproval && deeds.includes('apply') ? <p className="soft">{deedWords.needsApproval()}</p> : null}
      <div className="row">
        {isConflicting && set.status === 'draft' ? (
          <Button look="primary" isDisabled={!isOnline || isBehind} onPress={() => setAsked('rebase')}>
            {deedWords.rebase.label}
          </Button>
        ) : null}
        {deeds.map(deed => (
          <Button
            key={deed}
            look={deed === first && !isConflicting ? 'primary' : 'secondary'}
            isDisabled={isHeld(deed)}
            onPress={() => setAsked(deed)}
          >
            {deed === 'apply' && isConflicting ? deedWords.overwrite() : deedWords[deed].label}
          </Button>
        ))}
      </div>
      <Optional onClose={close}>
        {asked === 'schedule' ? <ScheduleDialog stored={stored} onClose={close} /> : null}
        {asked === 'rename' ? <RenameDialog stored={stored} onClose={close} /> : null}
        {asked !== null && asked !== 'schedule' && asked !== 'rename' ? (
          <TypedConfirm
            title={deedWords[asked].title}
            confirm={asked === 'apply' && isConflicting ? deedWords.overwrite() : deedWords[asked].label}
            isHarmless={asked !== 'delete' && !isConflicting}
            typed={null}
            hasComment={asked === 'apply'}
            onConfirm={comment => carryOut(asked, comment)}
            onClose={close}
          >
            <p>{asked === 'rebase' ? words.rebaseText() : deedWords[asked].text}</p>
            {asked === 'apply' && isConflicting ? (
              <p>{words.overwrites(difference.conflicts.length)}</p>
            ) : null}
          </TypedConfirm>
        ) : null}
      </Optional>
    </section>
  );
}

interface How {
  comment: string;
  seen: number | undefined;
}

function run(deed: Deed | 'rebase', stored: Stored, difference: Difference | undefined, how: How) {
  switch (deed) {
    case 'request':
      return request(stored);
    case 'reopen':
      return reopen(stored);
    case 'undo':
      return undo(stored);
    case 'delete':
      return remove(stored);
    case 'rebase':
      return updateChangeSet(stored, {
        changes: (stored.data.changes ?? {}) as Changes,
        versions: versionsOf(difference?.parts ?? []),
      });
    default:
      return apply(stored, how);
  }
}
