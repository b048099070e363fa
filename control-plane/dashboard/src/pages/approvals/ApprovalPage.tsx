import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { environmentsQuery } from '../../frame/environments';
import { usePolling } from '../../frame/Live';
import shared from '../../parts/Review.module.css';
import { useMe } from '../../session/me';
import { EnvironmentChip } from '../../ui/Chip';
import { Banner } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { usePageTitle } from '../../ui/usePageTitle';
import { Value } from '../../ui/Value';
import { Comments } from './Comments';
import { Compared } from './Compared';
import { approvals } from './messages';
import { type Approval, approvalQuery } from './queries';
import { StatusChip } from './StatusChip';

const route = getRouteApi('/framed/approvals/$id');

/** One request: what it changes, whether that moved since, what a user gets, and the review. */
export function ApprovalPage() {
  const { id } = route.useParams();
  const { data, error } = useQuery({ ...approvalQuery(id), refetchInterval: usePolling() });
  if (data === undefined) {
    return <PageLoading error={error} height="60dvh" />;
  }
  return <Request key={id} approval={data} />;
}

function Request({ approval }: { approval: Approval }) {
  const gone = approvals.gone();
  const title = approvals.request(approval.flag_key ?? gone, approval.env_slug ?? gone);
  usePageTitle(title);
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/approvals" className="back">
          {approvals.back()}
        </Link>
        <div className="row">
          <h1 className={shared.title}>
            <Value>{title}</Value>
          </h1>
          <StatusChip approval={approval} />
        </div>
        <Facts approval={approval} />
      </div>
      {approval.note === '' ? null : (
        <blockquote className={shared.note} aria-label={approvals.note()}>
          <Value>{approval.note}</Value>
        </blockquote>
      )}
      <Compared approval={approval}>
        <Comments approval={approval} />
      </Compared>
    </div>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const { permissions, projects } = useMe();
  const project = projects.find(({ id }) => id === approval.project_id);
  const environments = useQuery({
    ...environmentsQuery(approval.project_id),
    enabled: project !== undefined && permissions.includes('environments.read'),
  });
  const environment = environments.data?.data.find(({ id }) => id === approval.env_id);
  return (
    <>
      <div className="row">
        <span className="soft">
          {approvals.askedAt(approval.requestor_name ?? approvals.someone(), approval.created_at)}
        </span>
        {environment === undefined ? null : (
          <EnvironmentChip name={environment.name} color={environment.color} />
        )}
        {project === undefined || approval.flag_key === null ? null : (
          <Link
            to="/p/$project/flags/$key"
            params={{ project: project.slug, key: approval.flag_key }}
            search={approval.env_slug === null ? {} : { env: approval.env_slug }}
          >
            {approvals.openFlag()}
          </Link>
        )}
      </div>
      {environment?.protected && approval.status === 'pending' ? (
        <Banner tone="note">{approvals.protectedBy(environment.name, environment.required_approvals)}</Banner>
      ) : null}
    </>
  );
}
