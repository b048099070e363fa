import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Flag } from '../../../api/model';
import type { Refusal } from '../../../api/refusal';
import { ChangedMeanwhile } from '../../../diff/ChangedMeanwhile';
import { SaveDialog } from '../../../diff/SaveDialog';
import { useNames } from '../../../diff/useNames';
import { type FlagFields, flagFields } from '../../../diff/versions';
import { ownFieldsQuery } from '../../../flagState/ownFields';
import { readValue } from '../../../flagState/values';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { Banner } from '../../../ui/Feedback';
import { useOnline } from '../../../ui/useOnline';
import { sayServed } from '../sayServed';
import type { TabProps } from '../tabProps';
import { settings } from './messages';
import { OwnFields } from './OwnFields';
import { useOwnDraft } from './ownDraft';
import { lastOwnChangeQuery, saveFlag } from './queries';

interface OwnFieldsCardProps extends TabProps {
  flag: Flag;
  etag: string;
}

/** Name, description, tags and what else holds in every environment; saved as one change. */
export function OwnFieldsCard({ project, flag, etag }: OwnFieldsCardProps) {
  const client = useQueryClient();
  const me = useMe();
  const isOnline = useOnline();
  const names = useNames(project.id);
  const stored = flagFields(flag);
  const draft = useOwnDraft(flag.id, { fields: stored, etag });
  const [open, setOpen] = useState<'review' | 'meanwhile' | null>(null);
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const mayUpdate = me.permissions.includes('flags.update');
  const isWrong =
    draft.mine.name.trim() === '' ||
    (draft.typed !== null && !readValue(flag.flag_type, draft.typed, false).ok);

  async function save(comment: string) {
    setPending(true);
    const place = { projectID: project.id, flagKey: flag.key };
    const answer = await saveFlag(place, draft.etag, draft.base, draft.mine, comment);
    if (answer.ok) {
      const { queryKey } = ownFieldsQuery(project.id, flag.key);
      client.setQueryData(queryKey, {
        data: answer.data,
        etag: answer.response.headers.get('etag') ?? '',
      });
      draft.reset();
      sayServed(settings.saved(flag.key), answer.response.headers);
    }
    await client.refetchQueries({ queryKey: ['flag', project.id, flag.key], type: 'active' });
    void client.invalidateQueries({ queryKey: ['overview', project.id] });
    setPending(false);
    setRefusal(answer.ok || answer.refusal.kind === 'changed' ? null : answer.refusal);
    // A refusal about a field is shown there, where it can be mended.
    const stays = !answer.ok && answer.refusal.kind !== 'changed' && !isOfField(answer.refusal);
    setOpen(answer.ok ? null : answer.refusal.kind === 'changed' ? 'meanwhile' : stays ? 'review' : null);
  }

  return (
    <section className="card" aria-labelledby="own-fields">
      <div className="stack close">
        <h2 id="own-fields">{settings.title()}</h2>
        <p className="soft">
          {settings.text()} {settings.notRenamed()}
        </p>
      </div>
      {mayUpdate ? null : <Banner tone="note">{settings.mayNotUpdate()}</Banner>}
      {draft.isBehind ? (
        <Banner
          tone="warn"
          actions={<Button onPress={() => setOpen('meanwhile')}>{settings.showBehind()}</Button>}
        >
          {settings.behind()}
        </Banner>
      ) : null}
      <OwnFields
        project={project}
        flagKey={flag.key}
        type={flag.flag_type}
        draft={draft}
        refusal={refusal}
        isDisabled={!mayUpdate}
      />
      {draft.isDirty ? (
        <div className="row">
          <Button
            look="primary"
            isDisabled={isWrong || !isOnline}
            onPress={() => {
              setRefusal(null);
              setOpen(draft.isBehind ? 'meanwhile' : 'review');
            }}
          >
            {settings.review()}
          </Button>
          <Button onPress={draft.reset}>{settings.discard()}</Button>
          <span className="soft" role="status">
            {settings.unsaved()}
          </span>
        </div>
      ) : null}
      {open === 'review' ? (
        <SaveDialog
          title={settings.reviewTitle(flag.key)}
          before={{ flag: draft.base }}
          after={{ flag: draft.mine }}
          names={names}
          refusal={refusal}
          save={{
            label: settings.save(),
            onPress: comment => void save(comment),
            isPending,
            isDisabled: !isOnline,
          }}
          onCancel={() => setOpen(null)}
        >
          <p>{settings.everywhere()}</p>
        </SaveDialog>
      ) : null}
      {open === 'meanwhile' ? (
        <Meanwhile
          projectId={project.id}
          flagKey={flag.key}
          etag={etag}
          base={draft.base}
          mine={draft.mine}
          theirs={stored}
          onContinue={merged => {
            draft.rebase(merged);
            setOpen('review');
          }}
          onCancel={() => setOpen(null)}
        />
      ) : null}
    </section>
  );
}

function isOfField(refusal: Refusal): boolean {
  return refusal.kind === 'invalid' && refusal.field !== null;
}

interface MeanwhileProps {
  projectId: string;
  flagKey: string;
  etag: string;
  base: FlagFields;
  mine: FlagFields;
  theirs: FlagFields;
  onContinue: (merged: FlagFields) => void;
  onCancel: () => void;
}

function Meanwhile({ projectId, flagKey, etag, base, mine, theirs, onContinue, onCancel }: MeanwhileProps) {
  const names = useNames(projectId);
  const { data, isPending } = useQuery(lastOwnChangeQuery(projectId, flagKey, etag));
  if (isPending) return null;
  return (
    <ChangedMeanwhile
      base={{ flag: base }}
      mine={{ flag: mine }}
      theirs={{ flag: theirs }}
      by={data ? { name: data.actor.name, at: data.at } : undefined}
      names={names}
      onContinue={({ flag }) => onContinue(flag ?? mine)}
      onCancel={onCancel}
    />
  );
}
