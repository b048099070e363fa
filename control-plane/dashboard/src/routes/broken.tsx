import type { ErrorComponentProps } from '@tanstack/react-router';
import { isOutdated } from '../frame/outdated';
import { t } from '../messages/open';
import { SignInLayout } from '../session/SignInLayout';
import { Button, buttonClass } from '../ui/Button';
import { Empty } from '../ui/Feedback';

/** The page threw: either it is of an old release whose files are gone, or there is a mistake in it. */
export function BrokenPage({ reset }: ErrorComponentProps) {
  const isOld = isOutdated();
  return (
    <Empty
      isPage
      title={isOld ? t.page.staleTitle() : t.page.brokenTitle()}
      action={
        <div className="row">
          <Button look="primary" onPress={() => location.reload()}>
            {t.common.reload()}
          </Button>
          {isOld ? null : <Button onPress={reset}>{t.common.retry()}</Button>}
        </div>
      }
    >
      {isOld ? t.page.stale() : t.page.broken()}
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
    <SignInLayout title={t.page.notFoundTitle()} lead={t.page.notFound()}>
      <a href="/" className={buttonClass('secondary', true)}>
        {t.refusal.toStart()}
      </a>
    </SignInLayout>
  );
}
