import type { ErrorComponentProps } from '@tanstack/react-router';
import { isUnloaded, useOutdated } from '../frame/outdated';
import { t } from '../messages/open';
import { SignInLayout } from '../pages/signIn/SignInLayout';
import { Button, buttonClass } from '../ui/Button';
import { Empty } from '../ui/Feedback';

/** The page threw: it is of an old release whose files are gone, a part of it did not arrive, or there is a mistake in it. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const isOld = useOutdated();
  const why = isOld ? 'outdated' : isUnloaded(error) ? 'unloaded' : 'broken';
  const { title, text } = SAID[why];
  return (
    <Empty
      isPage
      title={title()}
      action={
        <div className="row">
          <Button look="primary" onPress={() => location.reload()}>
            {t.common.reload()}
          </Button>
          {why === 'broken' ? <Button onPress={reset}>{t.common.retry()}</Button> : null}
        </div>
      }
    >
      {text()}
    </Empty>
  );
}

const SAID = {
  outdated: { title: t.page.staleTitle, text: t.page.stale },
  unloaded: { title: t.page.unloadedTitle, text: t.page.unloaded },
  broken: { title: t.page.brokenTitle, text: t.page.broken },
};

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
