import { Loading, Skeleton } from '../ui/Feedback';
import { Optional } from '../ui/Optional';
import { part } from '../ui/part';
import type { GoneProps } from './gone/GonePage';

const GonePage = part(() => import('./gone/GonePage'));

/** In place of a page about something that is not there. */
export function Gone(props: GoneProps) {
  return (
    <Optional
      fallback={
        <Loading>
          <Skeleton height="1.75rem" width="16rem" />
        </Loading>
      }
    >
      <GonePage {...props} />
    </Optional>
  );
}
