import type { ReactNode } from 'react';
import { t } from '../../messages/open';
import { Banner } from '../../ui/Feedback';
import { Logo } from '../../ui/Logo';
import { Pennants } from '../../ui/Pennants';
import { usePageTitle } from '../../ui/usePageTitle';
import styles from './SignInLayout.module.css';

interface SignInLayoutProps {
  title: string;
  lead?: ReactNode;
  /** Below the card: the way to a neighbouring page. */
  under?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages before sign-in: one card with one heading. */
export function SignInLayout({ title, lead, under, children }: SignInLayoutProps) {
  usePageTitle(title);
  return (
    <div className={styles.page}>
      <main className={styles.column}>
        <div className={styles.pennants}>
          <Pennants width={220} />
        </div>
        <div className={styles.brand}>
          <Logo />
          {t.common.product()}
        </div>
        <div className={styles.card}>
          <h1>{title}</h1>
          {lead ? <p className="soft">{lead}</p> : null}
          {window.isSecureContext ? null : <Banner tone="warn">{t.page.insecure()}</Banner>}
          {children}
        </div>
        {under ? <p className={styles.under}>{under}</p> : null}
      </main>
    </div>
  );
}
