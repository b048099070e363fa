import type { ReactNode } from 'react';
import { Button } from '../ui/Button';

interface MoreProps {
  label: string;
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** Says how many of how many are shown. */
  children?: ReactNode;
}

/** Loads the next page of a list, while there is one. */
export function More({ label, query, children }: MoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className="row">
      <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
        {label}
      </Button>
      {children}
    </div>
  );
}
