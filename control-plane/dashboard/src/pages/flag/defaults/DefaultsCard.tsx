import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../../../frame/environments';
import type { NamedProject } from '../../../frame/project';
import { Chip } from '../../../ui/Chip';
import { Banner } from '../../../ui/Feedback';
import { PartLoading } from '../../../ui/PartLoading';
import { type Column, Table } from '../../../ui/Table';
import { useNow } from '../../../ui/useNow';
import { defaults as words } from './messages';
import { defaultsQuery, type ToldDefault } from './queries';

interface DefaultsCardProps {
  project: NamedProject;
  flagKey: string;
}

/** What apps would use for the flag in an outage; red where that differs from what they are served. */
export function DefaultsCard({ project, flagKey }: DefaultsCardProps) {
  const query = useQuery(defaultsQuery(project.id, flagKey));
  const environments = useQuery(environmentsQuery(project.id)).data?.data ?? [];
  const now = useNow(60_000);
  const named = (envId: string) => environments.find(({ id }) => id === envId)?.name ?? envId;
  const columns: Column<ToldDefault>[] = [
    { id: 'service', title: words.service(), cell: one => one.service || words.unnamed() },
    { id: 'environment', title: words.environment(), cell: one => named(one.env_id) },
    { id: 'value', title: words.value(), cell: one => <code>{shown(one)}</code> },
    { id: 'answers', title: words.answers(), cell: one => <Answers told={one} /> },
    { id: 'told', title: words.told(), cell: one => words.ago(one.last_told_at, now) },
  ];
  const { data, error } = query;
  return (
    <section className="card" aria-labelledby="defaults-title">
      <h2 id="defaults-title">{words.title()}</h2>
      {data === undefined ? (
        <PartLoading error={error} height="4rem" />
      ) : data.defaults.length === 0 ? (
        <p className="soft">{words.none()}</p>
      ) : (
        <>
          <p className="soft">{words.text()}</p>
          {data.defaults.some(one => one.disagrees) ? <Banner tone="warn">{words.disagree()}</Banner> : null}
          <Table label={words.table()} columns={columns} rows={data.defaults} rowId={rowId} />
          {data.left_out === 0 ? null : <p className="soft">{words.of(data.left_out)}</p>}
        </>
      )}
    </section>
  );
}

function Answers({ told: { answers, differing } }: { told: ToldDefault }) {
  return differing === 0 ? (
    words.same(answers)
  ) : (
    <Chip tone="bad">{words.differing(differing, answers)}</Chip>
  );
}

function shown({ value, value_digest }: ToldDefault): string {
  return value_digest === null ? JSON.stringify(value) : words.long(value_digest);
}

function rowId({ env_id, service, value, value_digest }: ToldDefault): string {
  return JSON.stringify([env_id, service, value, value_digest]);
}
