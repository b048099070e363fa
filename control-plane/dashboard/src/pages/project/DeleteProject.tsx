import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { Refusal } from '../../api/refusal';
import type { NamedProject } from '../../frame/project';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { usageQuery } from '../../parts/usage';
import { meQuery } from '../../session/me';
import { Loading, Skeleton } from '../../ui/Feedback';
import { say } from '../../ui/say';
import styles from '../environments/Environments.module.css';
import { projects as words } from './messages';
import { contentsQuery, deleteProject } from './queries';

interface DeleteProjectProps {
  project: NamedProject;
  onClose: () => void;
}

export function DeleteProject({ project, onClose }: DeleteProjectProps) {
  const client = useQueryClient();
  const router = useRouter();
  const contents = useQuery(contentsQuery(project.id));

  async function remove(): Promise<Refusal | null> {
    const answer = await deleteProject(project.id);
    if (!answer.ok) return answer.refusal;
    const { projects } = await client.fetchQuery({ ...meQuery, staleTime: 0 });
    void client.invalidateQueries({ queryKey: usageQuery.queryKey });
    say(words.deleted(project.name));
    // The page at `/` may still know the project as the one that was open last.
    const [next] = projects;
    if (next === undefined) void router.navigate({ to: '/', replace: true });
    else void router.navigate({ to: '/p/$project/flags', params: { project: next.slug }, replace: true });
    return null;
  }

  return (
    <TypedConfirm
      title={words.deleteTitle(project.name)}
      confirm={words.delete()}
      typed={project.slug}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.deleteText()}</p>
      {contents.data === undefined ? (
        contents.isError ? null : (
          <Loading>
            <Skeleton height="5rem" />
          </Loading>
        )
      ) : (
        <ul className={styles.lost}>
          <li>{words.lostFlags(contents.data.flags)}</li>
          <li>{words.lostSegments(contents.data.segments)}</li>
          <li>{words.lostEnvironments(contents.data.environments)}</li>
        </ul>
      )}
      <p>{words.refusedPrograms()}</p>
    </TypedConfirm>
  );
}
