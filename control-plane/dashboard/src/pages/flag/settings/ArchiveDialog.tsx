import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { dependantsQuery } from '../../../flagState/dependants';
import { useDraft } from '../../../flagState/draft';
import { environmentsQuery } from '../../../frame/environments';
import { TypedConfirm } from '../../../parts/TypedConfirm';
import { say } from '../../../ui/say';
import { refresh } from '../archived/queries';
import { DependantList } from '../Dependants';
import type { TabProps } from '../tabProps';
import { settings } from './messages';
import { archiveFlag } from './queries';

interface ArchiveDialogProps extends TabProps {
  etag: string;
  onClose: () => void;
}

/** Says which flags it takes along, and wants the key typed. */
export function ArchiveDialog({ project, flag, etag, onClose }: ArchiveDialogProps) {
  const client = useQueryClient();
  const { reset } = useDraft();
  const [seen] = useState(etag);
  const uses = useQuery(dependantsQuery(project.id, flag.key));
  const environments = useQuery(environmentsQuery(project.id));

  async function archive(comment: string): Promise<Refusal | null> {
    const answer = await archiveFlag({ projectID: project.id, flagKey: flag.key }, seen, comment);
    if (!answer.ok) {
      if (answer.refusal.kind === 'changed') {
        await client.invalidateQueries({ queryKey: ['flag', project.id, flag.key] });
      }
      return answer.refusal;
    }
    reset();
    say(settings.archived(flag.key));
    void refresh(client, project.id);
    return null;
  }

  return (
    <TypedConfirm
      title={settings.archiveReviewTitle(flag.key)}
      confirm={settings.archive()}
      typed={flag.key}
      hasComment
      onConfirm={archive}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'changed' ? { text: settings.archiveMeanwhile() } : null)}
    >
      <p>{settings.archiveText()}</p>
      {uses.data !== undefined && uses.data.total > 0 ? (
        <div className="stack close">
          <p>{settings.archiveDependants(uses.data.total)}</p>
          <DependantList
            project={project}
            flags={uses.data.flags}
            total={uses.data.total}
            environments={environments.data?.data ?? []}
          />
        </div>
      ) : null}
    </TypedConfirm>
  );
}
