import { X } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../../session/me';
import { Button, IconButton } from '../../../ui/Button';
import type { OverviewEnvironment } from '../overview';
import type { Selection } from '../selection';
import styles from './Bulk.module.css';
import { BulkDialog } from './BulkDialog';
import { type BulkAction, bulk } from './messages';

interface BulkBarProps {
  projectId: string;
  environments: readonly OverviewEnvironment[];
  selection: Selection;
  onClear: () => void;
}

const ACTIONS: readonly (readonly [BulkAction, string])[] = [
  ['enable', 'flags.toggle'],
  ['disable', 'flags.toggle'],
  ['promote', 'flags.promote'],
  ['tag', 'flags.update'],
  ['untag', 'flags.update'],
  ['archive', 'flags.delete'],
];

/** What can be done with the selected flags. */
export default function BulkBar({ projectId, environments, selection, onClear }: BulkBarProps) {
  const { permissions } = useMe();
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <section className={styles.bar} aria-label={bulk.label()}>
      <strong role="status">{bulk.selected(selection.size)}</strong>
      {ACTIONS.map(([id, permission]) =>
        permissions.includes(permission) ? (
          <Button key={id} onPress={() => setAction(id)}>
            {bulk.button(id)}
          </Button>
        ) : null,
      )}
      <IconButton label={bulk.clear()} onPress={onClear}>
        <X size={16} aria-hidden />
      </IconButton>
      {action === null ? null : (
        <BulkDialog
          projectId={projectId}
          environments={environments}
          selection={selection}
          action={action}
          onDone={onClear}
          onClose={() => setAction(null)}
        />
      )}
    </section>
  );
}
