import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { dependantsQuery } from '../flagState/dependants';
import { environmentsQuery } from '../frame/environments';
import type { NamedProject } from '../frame/project';
import { TypedConfirm } from '../parts/TypedConfirm';
import { say } from '../ui/say';
import { DependantList } from './DependantList';
import { archiving } from './messages';
import { archiveFlag, referencedQuery, refresh } from './queries';

interface ArchiveDialogProps {
  project: NamedProject;
  flag: { key: string };
  /** Of the flag as it was seen. */
  etag: string;
  onClose: () => void;
  onArchived?: () => void;
}

/** Says which flags it takes along, and wants the key typed. */
export function ArchiveDialog({ project, flag, etag, onClose, onArchived }: ArchiveDialogProps) {
  const client = useQueryClient();
  const [seen] = useState(etag);
  const uses = useQuery(dependantsQuery(project.id, flag.key));
  const referenced = useQuery(referencedQuery({ projectID: project.id, flagKey: flag.key })).data ?? 0;
  const environments = useQuery(environmentsQuery(project.id));

  async function archive(comment: string): Promise<Refusal | null> {
    const answer = await archiveFlag({ projectID: project.id, flagKey: flag.key }, seen, comment);
    if (!answer.ok) {
      if (answer.refusal.kind === 'changed') {
        await client.invalidateQueries({ queryKey: ['flag', project.id, flag.key] });
      }
      return answer.refusal;
    }
    onArchived?.();
    say(archiving.archived(flag.key));
    void refresh(client, project.id);
    return null;
  }

  return (
    <TypedConfirm
      title={archiving.title(flag.key)}
      confirm={archiving.archive()}
      typed={flag.key}
      hasComment
      onConfirm={archive}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'changed' ? { text: archiving.changed() } : null)}
    >
      <p>{archiving.text()}</p>
      {referenced > 0 ? <p>{archiving.referenced(referenced)}</p> : null}
      {uses.data !== undefined && uses.data.total > 0 ? (
        <div className="stack close">
          <p>{archiving.dependants(uses.data.total)}</p>
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
