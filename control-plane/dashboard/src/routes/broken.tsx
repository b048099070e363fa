import type { ErrorComponentProps } from '@tanstack/react-router';
import { isOutdated } from '../frame/outdated';
import { t } from '../messages/en';
import { Button, buttonClass } from '../ui/Button';
import { Empty } from '../ui/Feedback';

/** The page threw: either it is of an old release whose files are gone, or there is a mistake in it. */
export function BrokenPage({ reset }: ErrorComponentProps) {
  const isOld = isOutdated();
  return (
    <Empty
      title={isOld ? t.frame.staleTitle() : t.frame.brokenTitle()}
      action={
        <div className="row">
          <Button look="primary" onPress={() => location.reload()}>
            {t.common.reload()}
          </Button>
          {isOld ? null : <Button onPress={reset}>{t.common.retry()}</Button>}
        </div>
      }
    >
      {isOld ? t.frame.stale() : t.frame.broken()}
    </Empty>
  );
}

export function NotFoundPage() {
  return (
    <Empty
      title={t.frame.notFoundTitle()}
      action={
        <a href="/" className={buttonClass()}>
          {t.refusal.toStart()}
        </a>
      }
    >
      {t.frame.notFound()}
    </Empty>
  );
}
