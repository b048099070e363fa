import { Link } from '@tanstack/react-router';
import type { NamedProject } from '../../frame/project';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { segments as words } from './messages';
import type { Segment } from './queries';
import styles from './Segments.module.css';

interface SegmentTableProps {
  project: NamedProject;
  segments: readonly Segment[];
}

export function SegmentTable({ project, segments }: SegmentTableProps) {
  const now = useNow(60_000);
  const columns: Column<Segment>[] = [
    {
      id: 'segment',
      title: words.segment(),
      cell: ({ key, name, description }) => (
        <span className={styles.segment}>
          <Link to="/p/$project/segments/$key" params={{ project: project.slug, key }}>
            {name}
          </Link>
          <code className="soft small">{key}</code>
          {description === '' ? null : (
            <span className={`soft small ${styles.description}`}>{description}</span>
          )}
        </span>
      ),
    },
    {
      id: 'who',
      title: words.who(),
      cell: ({ rules, match_type }) =>
        rules.length === 0 ? words.nobody() : words.conditionCount(rules.length, match_type === 'any'),
    },
    {
      id: 'changed',
      title: words.changed(),
      cell: ({ updated_at }) => <time dateTime={updated_at}>{words.ago(updated_at, now)}</time>,
    },
  ];
  return <Table label={words.table()} columns={columns} rows={segments} rowId={({ id }) => id} />;
}
