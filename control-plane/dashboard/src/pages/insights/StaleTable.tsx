import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { NamedProject } from '../../frame/project';
import { Button } from '../../ui/Button';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { useOnline } from '../../ui/useOnline';
import styles from './InsightsPage.module.css';
import { page } from './messages';
import { markPermanent, type Stale } from './queries';
import { reasonsOf } from './reasons';

interface StaleTableProps {
  project: NamedProject;
  flags: readonly Stale[];
  nameOf: (envId: string) => string;
  mayEdit: boolean;
  /** Absent for those who may not. */
  onArchive?: (flag: Stale) => void;
}

export function StaleTable({ project, flags, nameOf, mayEdit, onArchive }: StaleTableProps) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const now = useNow(60_000);
  const [pending, setPending] = useState<string | null>(null);

  async function keep(key: string) {
    setPending(key);
    const answer = await markPermanent(project.id, key, true);
    setPending(null);
    if (!answer.ok) return warn(refusalText(answer.refusal));
    say(page.marked(key));
    void client.invalidateQueries({ queryKey: ['overview', project.id] });
  }

  const columns: Column<Stale>[] = [
    {
      id: 'flag',
      title: page.name_(),
      cell: ({ key, name }) => (
        <span className={styles.named}>
          <Link
            to="/p/$project/flags/$key"
            params={{ project: project.slug, key }}
            search={{ tab: 'insights' }}
          >
            <bdi>{name}</bdi>
          </Link>
          <code className="soft small">{key}</code>
        </span>
      ),
    },
    {
      id: 'why',
      title: page.why(),
      cell: flag => <Lines lines={reasonsOf(flag, nameOf).map(({ because }) => because)} />,
    },
    {
      id: 'without',
      title: page.ifRemoved(),
      cell: flag => <Lines lines={reasonsOf(flag, nameOf).map(({ without }) => without)} />,
    },
    {
      id: 'code',
      title: page.inCode(),
      cell: ({ reference_count: count }) => (count === null ? page.notScanned() : page.references(count)),
    },
    {
      id: 'last',
      title: page.lastEvaluated(),
      cell: ({ last_evaluated_at: at }) => (at === null ? page.never() : page.ago(at, now)),
    },
    {
      id: 'actions',
      title: page.actions(),
      isTitleHidden: true,
      cell: flag => (
        <span className="row">
          {mayEdit ? (
            <Button
              aria-label={page.permanentOf(flag.key)}
              isPending={pending === flag.key}
              isDisabled={!isOnline}
              onPress={() => void keep(flag.key)}
            >
              {page.permanent()}
            </Button>
          ) : null}
          {onArchive === undefined ? null : (
            <Button
              aria-label={page.archiveOf(flag.key)}
              isDisabled={!isOnline}
              onPress={() => onArchive(flag)}
            >
              {page.archive()}
            </Button>
          )}
        </span>
      ),
    },
  ];
  return <Table label={page.tab('stale')} columns={columns} rows={flags} rowId={({ id }) => id} />;
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className={styles.reasons}>
      {lines.map(line => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
