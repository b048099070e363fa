import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Refused } from '../../api/refusal';
import { Deleted } from '../../frame/Deleted';
import { Gone } from '../../frame/Gone';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { AuditLink } from '../../parts/AuditLink';
import { useMay } from '../../parts/MayNot';
import { Button } from '../../ui/Button';
import { CopyButton } from '../../ui/CopyButton';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { usePageTitle } from '../../ui/usePageTitle';
import { DeleteSegment } from './DeleteSegment';
import { segments as words } from './messages';
import { segmentQuery } from './queries';
import { SegmentEditor } from './SegmentEditor';
import { UsesCard } from './UsesCard';

const route = getRouteApi('/framed/p/$project/segments/$key');

export function SegmentPage() {
  const { project, key } = route.useParams();
  return (
    <WithProject named={project}>
      {found => <OneSegment key={`${found.id}/${key}`} project={found} segmentKey={key} />}
    </WithProject>
  );
}

function OneSegment({ project, segmentKey }: { project: NamedProject; segmentKey: string }) {
  usePageTitle(segmentKey);
  const [isGoing, setGoing] = useState(false);
  const stored = useQuery({
    ...segmentQuery(project.id, segmentKey),
    refetchInterval: usePolling(),
    enabled: !isGoing,
  });
  const mayDelete = useMay('segments.write');
  const [isDeleting, setDeleting] = useState(false);

  if (stored.data === undefined) {
    const { error } = stored;
    if (error instanceof Refused && error.refusal.kind === 'absent')
      return <Gone kind="segment" named={segmentKey} projectId={project.id} />;
    return <PageLoading error={error} height="60dvh" />;
  }
  const { id, name, key } = stored.data.data;
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/p/$project/segments" params={{ project: project.slug }} className="back">
          {words.back()}
        </Link>
        <div className="row apart">
          <div className="row">
            <h1>{name}</h1>
            <code className="soft">{key}</code>
            <CopyButton isSmall text={key} label={words.copyKey()} />
          </div>
          <div className="row">
            <AuditLink resourceId={id} />
            <Button isDisabled={!mayDelete} onPress={() => setDeleting(true)}>
              {words.delete()}
            </Button>
          </div>
        </div>
      </div>
      <Deleted kind="segment" queryKey={segmentQuery(project.id, segmentKey).queryKey} error={stored.error} />
      <UsesCard project={project} segmentKey={segmentKey} />
      <SegmentEditor project={project} stored={stored.data} />
      <Optional onClose={() => setDeleting(false)}>
        {isDeleting ? (
          <DeleteSegment
            project={project}
            segmentKey={segmentKey}
            isGoing={isGoing}
            onGoing={setGoing}
            onClose={() => setDeleting(false)}
          />
        ) : null}
      </Optional>
    </div>
  );
}
