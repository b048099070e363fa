import { useEffect } from 'react';
import { t } from '../messages/open';
import { shown } from './shown';

/** Names the page in the tab and in the history. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = t.common.pageTitle(shown(title));
  }, [title]);
}
