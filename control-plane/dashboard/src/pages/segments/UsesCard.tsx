import { useQuery } from '@tanstack/react-query';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { PartLoading } from '../../ui/PartLoading';
import { segments as words } from './messages';
import { usesQuery } from './queries';
import { UseList } from './UseList';
import { countUses } from './uses';

interface UsesCardProps {
  project: NamedProject;
  segmentKey: string;
}

/** Whom a change of the segment concerns. */
export function UsesCard({ project, segmentKey }: UsesCardProps) {
  const { data, error } = useQuery({
    ...usesQuery(project.id, segmentKey),
    refetchInterval: usePolling(),
  });
  return (
    <section className="card" aria-labelledby="uses">
      <h2 id="uses">{words.usesTitle()}</h2>
      {data === undefined ? (
        <PartLoading error={error} height="4rem" />
      ) : data.total === 0 ? (
        <p className="soft">{words.usesNobody()}</p>
      ) : (
        <>
          <p>{words.uses(countUses(data).flags, countUses(data).environments)}</p>
          <UseList project={project} uses={data} />
        </>
      )}
    </section>
  );
}
