import { Children, type ReactNode, Suspense } from 'react';
import { useOutdated } from '../frame/outdated';
import { t } from '../messages/open';
import { Boundary } from './Boundary';
import { Button } from './Button';
import { Dialog, DialogActions } from './Dialog';

interface OptionalProps {
  /** Shown while it loads. */
  fallback?: ReactNode;
  /** Only adds to the page: where it does not arrive, nothing is said. */
  isSilent?: boolean;
  /** It is a dialog: that it did not arrive is said in one, which this closes. */
  onClose?: () => void;
  children: ReactNode;
}

/** Around a `part`: one that does not arrive, or stops working, never takes away the page around it. */
export function Optional({ fallback = null, isSilent = false, onClose, children }: OptionalProps) {
  return (
    <Boundary
      isIdle={Children.toArray(children).length === 0}
      instead={(retry, hasRetried) => {
        if (onClose !== undefined)
          return <MissingDialog onRetry={retry} hasRetried={hasRetried} onClose={onClose} />;
        return isSilent ? null : <MissingLine onRetry={retry} hasRetried={hasRetried} />;
      }}
    >
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  );
}

interface MissingProps {
  onRetry: () => void;
  /** A browser may keep a failure for as long as the document is open. */
  hasRetried: boolean;
}

function MissingLine({ onRetry, hasRetried }: MissingProps) {
  return (
    <div className="row" role="status">
      <span className="soft">{useReason()}</span>
      <Button onPress={onRetry}>{t.common.retry()}</Button>
      {hasRetried ? <Reload /> : null}
    </div>
  );
}

function Reload() {
  return <Button onPress={() => location.reload()}>{t.common.reload()}</Button>;
}

function MissingDialog({ onRetry, hasRetried, onClose }: MissingProps & { onClose: () => void }) {
  return (
    <Dialog title={t.page.partTitle()} isOpen onClose={onClose}>
      <p>{useReason()}</p>
      <DialogActions>
        <Button onPress={onClose}>{t.common.close()}</Button>
        {hasRetried ? <Reload /> : null}
        <Button look="primary" onPress={onRetry}>
          {t.common.retry()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function useReason(): string {
  return useOutdated() ? t.page.partStale() : t.page.part();
}
