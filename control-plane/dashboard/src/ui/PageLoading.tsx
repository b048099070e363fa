import { Refused } from '../api/refusal';
import { Loading, Skeleton } from './Feedback';
import { RefusalPage } from './RefusalPage';

interface PageLoadingProps {
  error: Error | null;
  /** Of what will be there. */
  height: string;
}

/** In place of a page, or of most of it: that it loads, or why it could not be loaded. */
export function PageLoading({ error, height }: PageLoadingProps) {
  if (error instanceof Refused) return <RefusalPage refusal={error.refusal} />;
  return (
    <Loading>
      <Skeleton height={height} />
    </Loading>
  );
}
