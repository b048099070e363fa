import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Sentences } from '../../diff/Sentences';
import type { Sentence } from '../../diff/sentence';
import { Code } from '../../parts/Code';
import { useMe } from '../../session/me';
import styles from './Audit.module.css';
import { useEnvironment } from './EnvironmentName';
import { textOf } from './entryDifference';
import { audit } from './messages';
import { type Entry, versionAtQuery } from './queries';

interface EntryDetailsProps {
  entry: Entry;
  sentences: readonly Sentence[];
}

/** All that an entry keeps, and the ways on: the thing as it was, its trail, the person's trail. */
export function EntryDetails({ entry, sentences }: EntryDetailsProps) {
  const { before_state, after_state, metadata, ip_address, resource_id, actor_id, actor_name } = entry;
  const request = entry.resource_type === 'approval' ? null : textOf(metadata, 'approval_id');
  const changeSet = textOf(metadata, 'change_set_id');
  const project = useMe().projects.find(({ id }) => id === entry.project_id)?.slug;
  const parts: [string, unknown][] = [
    [audit.before(), before_state],
    [audit.after(), after_state],
    [audit.metadata(), metadata],
  ];
  return (
    <div className="stack">
      {sentences.length === 0 ? null : <Sentences sentences={sentences} />}
      <p className="soft small">
        {audit.facts(entry.created_at, ip_address)} <code>{entry.action}</code>
      </p>
      <div className="row">
        <AsItWas entry={entry} />
        {request === null ? null : (
          <Link to="/approvals/$id" params={{ id: request }}>
            {audit.request()}
          </Link>
        )}
        {changeSet === null || project === undefined ? null : (
          <Link to="/p/$project/change-sets/$id" params={{ project, id: changeSet }}>
            {audit.changeSet()}
          </Link>
        )}
        {resource_id === null ? null : (
          <Link to="/audit" search={{ resource_id }}>
            {audit.allAbout()}
          </Link>
        )}
        {actor_id === null || actor_name === null ? null : (
          <Link to="/audit" search={{ actor_id }}>
            {audit.allBy(actor_name)}
          </Link>
        )}
      </div>
      {metadata !== null && 'omitted_bytes' in metadata ? <p className="soft">{audit.omitted()}</p> : null}
      <div className={styles.states}>
        {parts.map(([label, value]) =>
          value === null ? null : (
            <section key={label} className="stack close" aria-label={label}>
              <h3>{label}</h3>
              <Code label={label} text={JSON.stringify(value, null, 2)} />
            </section>
          ),
        )}
      </div>
    </div>
  );
}

/** The version of the flag that the change made. */
function AsItWas({ entry }: { entry: Entry }) {
  const { permissions, projects } = useMe();
  const project = projects.find(({ id }) => id === entry.project_id);
  const environment = useEnvironment(entry);
  const isAsked =
    entry.resource_type === 'flag' &&
    entry.resource_name !== null &&
    project !== undefined &&
    environment !== undefined &&
    permissions.includes('flags.read');
  const { data } = useQuery({
    ...versionAtQuery(project?.id ?? '', entry.resource_id ?? '', environment?.id ?? '', entry.created_at),
    enabled: isAsked,
  });
  if (!isAsked || data === undefined) return null;
  return (
    <Link
      to="/p/$project/flags/$key"
      params={{ project: project.slug, key: entry.resource_name ?? '' }}
      search={{
        env: environment.slug,
        tab: 'history',
        ...(data === null ? {} : { version: data }),
      }}
    >
      {data === null ? audit.openHistory() : audit.asItWas()}
    </Link>
  );
}
