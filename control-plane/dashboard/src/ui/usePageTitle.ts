import { useEffect } from 'react';
import { t } from '../messages/open';

/** Names the page in the tab and in the history. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = t.common.pageTitle(title);
  }, [title]);
}
