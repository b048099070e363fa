import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { Refusal } from '../../api/refusal';
import type { NamedProject } from '../../frame/project';
import { shared } from '../../parts/messages';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { Loading, Skeleton } from '../../ui/Feedback';
import { say } from '../../ui/say';
import { segments as words } from './messages';
import { deleteSegment, segmentQuery, usesQuery } from './queries';
import { UseList } from './UseList';

interface DeleteSegmentProps {
  project: NamedProject;
  segmentKey: string;
  /** The event of the deletion may come before its answer; the deleted segment is not requested again. */
  isGoing: boolean;
  onGoing: (isGoing: boolean) => void;
  onClose: () => void;
}

/** Asks for the key only where flags use the segment. */
export function DeleteSegment({ project, segmentKey, isGoing, onGoing, onClose }: DeleteSegmentProps) {
  const client = useQueryClient();
  const router = useRouter();
  const stored = useQuery({ ...segmentQuery(project.id, segmentKey), staleTime: 0, enabled: !isGoing });
  const uses = useQuery({ ...usesQuery(project.id, segmentKey), staleTime: 0, enabled: !isGoing });
  const isUsed = uses.data === undefined || uses.data.total > 0;

  async function remove(): Promise<Refusal | null> {
    if (stored.data === undefined) return null;
    onGoing(true);
    const answer = await deleteSegment(project.id, segmentKey, stored.data.etag);
    if (!answer.ok) {
      onGoing(false);
      if (answer.refusal.kind === 'changed') await Promise.all([stored.refetch(), uses.refetch()]);
      return answer.refusal;
    }
    say(words.deleted(segmentKey));
    await router.navigate({ to: '/p/$project/segments', params: { project: project.slug }, replace: true });
    client.removeQueries({ queryKey: segmentQuery(project.id, segmentKey).queryKey });
    void client.invalidateQueries({ queryKey: ['segments', project.id] });
    return null;
  }

  return (
    <TypedConfirm
      title={words.deleteTitle(segmentKey)}
      confirm={words.delete()}
      typed={isUsed ? segmentKey : null}
      onConfirm={remove}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'changed' ? { text: shared.changedBefore() } : null)}
    >
      {uses.data === undefined ? (
        <Loading>
          <Skeleton height="5rem" />
        </Loading>
      ) : uses.data.total === 0 ? (
        <p>{words.deleteUnused()}</p>
      ) : (
        <>
          <p>{words.deleteUsed()}</p>
          <UseList project={project} uses={uses.data} />
        </>
      )}
    </TypedConfirm>
  );
}
