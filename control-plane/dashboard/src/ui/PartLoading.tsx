import { Refused } from '../api/refusal';
import { t } from '../messages/open';
import { Button } from './Button';
import { Banner, Loading, Skeleton } from './Feedback';
import { refusalText } from './refusalText';

interface PartLoadingProps {
  error: Error | null;
  /** Of what will be there. */
  height: string;
  onRetry?: () => unknown;
}

/** In place of a part of a page: that it loads, or why it could not be loaded. */
export function PartLoading({ error, height, onRetry }: PartLoadingProps) {
  if (error instanceof Refused) {
    const retry = onRetry && <Button onPress={() => void onRetry()}>{t.common.retry()}</Button>;
    return (
      <Banner tone="bad" actions={retry}>
        {refusalText(error.refusal)}
      </Banner>
    );
  }
  return (
    <Loading>
      <Skeleton height={height} />
    </Loading>
  );
}
