import { useState } from 'react';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { useOnline } from '../../../ui/useOnline';
import type { TabProps } from '../tabProps';
import { ArchiveDialog } from './ArchiveDialog';
import { settings } from './messages';

export function ArchiveCard({ etag, ...props }: TabProps & { etag: string }) {
  const mayArchive = useMe().permissions.includes('flags.delete');
  const isOnline = useOnline();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="card" aria-labelledby="archive">
      <h2 id="archive">{settings.archiveTitle()}</h2>
      <p>{settings.archiveText()}</p>
      {mayArchive ? (
        <div>
          <Button look="danger" isDisabled={!isOnline} onPress={() => setOpen(true)}>
            {settings.archive()}
          </Button>
        </div>
      ) : (
        <p className="soft">{settings.mayNotArchive()}</p>
      )}
      {isOpen ? <ArchiveDialog {...props} etag={etag} onClose={() => setOpen(false)} /> : null}
    </section>
  );
}
