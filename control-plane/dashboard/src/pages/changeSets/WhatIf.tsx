import { useQuery } from '@tanstack/react-query';
import type { ChangeSet } from '../../changeSets/queries';
import { environmentsQuery } from '../../frame/environments';
import type { NamedProject } from '../../frame/project';
import { whatIf } from '../../whatIf/messages';
import Asking from '../../whatIf/WhatIf';
import { environmentsOf } from './parts';

interface WhatIfProps {
  project: NamedProject;
  set: ChangeSet;
}

/** What the whole change set would have changed of the answers of edges, environment by environment. */
export default function WhatIf({ project, set }: WhatIfProps) {
  const { data } = useQuery(environmentsQuery(project.id));
  const slugs = environmentsOf(set.parts ?? []);
  const environments = (data?.data ?? []).filter(({ slug }) => slugs?.has(slug) !== false);
  if (environments.length === 0) return null;
  return (
    <section className="card" aria-labelledby="what-if">
      <h2 id="what-if">{whatIf.ask()}</h2>
      <Asking project={project} environments={environments} draft={{ change_set_id: set.id }} />
    </section>
  );
}
