import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { environmentsQuery } from '../../../frame/environments';
import { useNamedProject } from '../../../frame/project';
import { MayNot } from '../../../parts/MayNot';
import { useMe } from '../../../session/me';
import { buttonClass } from '../../../ui/Button';
import { Empty } from '../../../ui/Feedback';
import { PageLoading } from '../../../ui/PageLoading';
import { Select } from '../../../ui/Select';
import { team } from '../messages';
import { rolesQuery } from '../roles/queries';
import { Search } from '../Search';
import styles from '../Team.module.css';
import { useTeamRows } from '../useTeamRows';
import { Matrix, ROW_HEIGHT } from './Matrix';
import type { Draft } from './matrix';
import { matrix } from './messages';
import { SaveBar } from './SaveBar';

const route = getRouteApi('/framed/team');

interface MatrixTabProps {
  draft: Draft;
  onDraft: (change: (draft: Draft) => Draft) => void;
}

/** Members × environments of one project. */
export default function MatrixTab({ draft, onDraft }: MatrixTabProps) {
  const project = useNamedProject(route.useSearch().project);
  if (project === undefined) return <Empty title={matrix.noProject()}>{matrix.noProjectText()}</Empty>;
  return <Permissions key={project.id} project={project} draft={draft} onDraft={onDraft} />;
}

interface PermissionsProps extends MatrixTabProps {
  project: { id: string; slug: string; name: string };
}

function Permissions({ project, draft, onDraft }: PermissionsProps) {
  const me = useMe();
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const environments = useQuery(environmentsQuery(project.id));
  const rows = useTeamRows({ q, project_id: project.id }, ROW_HEIGHT);
  const mayRead = me.features.custom_roles && me.permissions.includes('roles.manage');
  const roles = useQuery({ ...rolesQuery, enabled: mayRead });
  const search = useCallback(
    (text: string | undefined) =>
      void navigate({
        search: {
          tab: 'environments',
          project: project.slug,
          ...(text === undefined ? {} : { q: text }),
        },
        replace: true,
      } as never),
    [navigate, project.slug],
  );

  const error = environments.error ?? rows.first.error;
  if (environments.data === undefined || rows.first.data === undefined) {
    return <PageLoading error={error} height="20rem" />;
  }
  const all = environments.data.data;
  return (
    <div className="stack">
      <p className="soft">{matrix.lead()}</p>
      <MayNot permit="members.manage" />
      <div className={styles.tools}>
        <Search key={q === undefined ? 'empty' : 'set'} q={q ?? ''} onChange={search} />
        <Select
          label={matrix.project()}
          choices={me.projects.map(({ slug, name }) => ({ id: slug, label: name }))}
          value={project.slug}
          onChange={slug => void navigate({ search: { tab: 'environments', project: slug } } as never)}
        />
      </div>
      {all.length === 0 ? (
        <Empty
          title={matrix.noEnvironment()}
          action={
            <Link
              to="/p/$project/environments"
              params={{ project: project.slug }}
              className={buttonClass('primary')}
            >
              {matrix.toEnvironments()}
            </Link>
          }
        >
          {matrix.noEnvironmentText()}
        </Empty>
      ) : rows.total === 0 ? (
        <Empty title={team.noMatch(q ?? '')}>{team.noMatchText()}</Empty>
      ) : (
        <Matrix rows={rows} environments={all} roles={roles.data ?? []} draft={draft} onDraft={onDraft} />
      )}
      <SaveBar draft={draft} onDraft={onDraft} />
    </div>
  );
}
