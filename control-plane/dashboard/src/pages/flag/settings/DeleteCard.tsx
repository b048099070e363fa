import { useState } from 'react';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { useOnline } from '../../../ui/useOnline';
import type { TabProps } from '../tabProps';
import { DeleteDialog } from './DeleteDialog';
import { settings } from './messages';

export function DeleteCard({ etag, ...props }: TabProps & { etag: string }) {
  const mayDelete = useMe().permissions.includes('flags.delete');
  const isOnline = useOnline();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="card" aria-labelledby="delete">
      <h2 id="delete">{settings.deleteTitle()}</h2>
      <p>{settings.deleteText()}</p>
      {mayDelete ? (
        <div>
          <Button look="danger" isDisabled={!isOnline} onPress={() => setOpen(true)}>
            {settings.delete()}
          </Button>
        </div>
      ) : (
        <p className="soft">{settings.mayNotDelete()}</p>
      )}
      {isOpen ? <DeleteDialog {...props} etag={etag} onClose={() => setOpen(false)} /> : null}
    </section>
  );
}
