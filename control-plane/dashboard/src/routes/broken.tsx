import type { ErrorComponentProps } from '@tanstack/react-router';
import { isOutdated } from '../frame/outdated';
import { t } from '../messages/en';
import { SignInLayout } from '../session/SignInLayout';
import { Button, buttonClass } from '../ui/Button';
import { Empty } from '../ui/Feedback';

/** The page threw: either it is of an old release whose files are gone, or there is a mistake in it. */
export function BrokenPage({ reset }: ErrorComponentProps) {
  const isOld = isOutdated();
  return (
    <Empty
      isPage
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

/** As above, where there is no frame around it. */
export function BrokenStart(props: ErrorComponentProps) {
  return (
    <main>
      <BrokenPage {...props} />
    </main>
  );
}

export function NotFoundPage() {
  return (
    <SignInLayout title={t.frame.notFoundTitle()} lead={t.frame.notFound()}>
      <a href="/" className={buttonClass('secondary', true)}>
        {t.refusal.toStart()}
      </a>
    </SignInLayout>
  );
}
