import { useState } from 'react';
import { ArchiveDialog } from '../../../archive/ArchiveDialog';
import { archiving } from '../../../archive/messages';
import { useDraft } from '../../../flagState/draft';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { useOnline } from '../../../ui/useOnline';
import type { TabProps } from '../tabProps';
import { settings } from './messages';

export function ArchiveCard({ etag, project, flag }: TabProps & { etag: string }) {
  const { reset } = useDraft();
  const mayArchive = useMe().permissions.includes('flags.delete');
  const isOnline = useOnline();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="card" aria-labelledby="archive">
      <h2 id="archive">{settings.archiveTitle()}</h2>
      <p>{archiving.text()}</p>
      {mayArchive ? (
        <div>
          <Button look="danger" isDisabled={!isOnline} onPress={() => setOpen(true)}>
            {archiving.archive()}
          </Button>
        </div>
      ) : (
        <p className="soft">{settings.mayNotArchive()}</p>
      )}
      {isOpen ? (
        <ArchiveDialog
          project={project}
          flag={flag}
          etag={etag}
          onClose={() => setOpen(false)}
          onArchived={reset}
        />
      ) : null}
    </section>
  );
}
