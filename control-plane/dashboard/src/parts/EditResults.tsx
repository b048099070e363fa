import { Link } from '@tanstack/react-router';
import { isMade, type Result } from '../flagState/editFlags';
import { useCurrentProject } from '../frame/project';
import { sentence } from '../messages/format';
import { Table } from '../ui/Table';
import { Value } from '../ui/Value';
import styles from './EditResults.module.css';
import { editWords } from './editMessages';

interface EditResultsProps {
  results: readonly Result[];
  nameOf: (key: string) => string;
}

/** What became of each flag; those that did not change come first. */
export function EditResults({ results, nameOf }: EditResultsProps) {
  const project = useCurrentProject();
  const refused = results.filter(result => !isMade(result));
  const rows = [...refused, ...results.filter(isMade)];
  return (
    <div className="stack close">
      <p role="status">
        <strong>{editWords.refused(refused.length)}</strong>
      </p>
      <div className={styles.results}>
        <Table
          label={editWords.results()}
          columns={[
            {
              id: 'flag',
              title: editWords.flag(),
              cell: ({ key }: Result) => (
                <Link to="/p/$project/flags/$key" params={{ project: project?.slug ?? '', key }}>
                  <Value>{nameOf(key)}</Value>
                </Link>
              ),
            },
            { id: 'result', title: editWords.result(), cell: words },
          ]}
          rows={rows}
          rowId={({ key }) => key}
        />
      </div>
    </div>
  );
}

function words(result: Result): string {
  if (isMade(result)) return [editWords.changed(), ...(result.warnings ?? []).map(sentence)].join('. ');
  if (result.error === 'approval_required') return editWords.approvalNeeded();
  return sentence(result.error ?? String(result.status));
}
