import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../messages/open';
import { Button } from './Button';
import { Dialog, DialogActions } from './Dialog';
import { PartLoading } from './PartLoading';

interface StoredDialogProps<Stored, Key extends QueryKey> {
  title: string;
  isWide?: boolean;
  query: UseQueryOptions<Stored, Error, Stored, Key>;
  onClose: () => void;
  /** The form. */
  children: (stored: Stored) => ReactNode;
}

/** Edits what is stored when it opens. */
export function StoredDialog<Stored, Key extends QueryKey>(props: StoredDialogProps<Stored, Key>) {
  const { title, isWide = false, query, onClose, children } = props;
  const { data, error } = useQuery({ ...query, staleTime: 0, gcTime: 0 });
  return (
    <Dialog title={title} isOpen isWide={isWide} onClose={onClose}>
      {data !== undefined ? children(data) : <PartLoading error={error} height="22rem" />}
      {data === undefined && error !== null ? (
        <DialogActions>
          <Button onPress={onClose}>{t.common.close()}</Button>
        </DialogActions>
      ) : null}
    </Dialog>
  );
}
