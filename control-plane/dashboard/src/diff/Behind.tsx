import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { diff } from './messages';

/** In a dialog that shows what would change: somebody saved, so that it would change something else now. */
export function Behind({ onShow }: { onShow: () => void }) {
  return (
    <Banner tone="warn" actions={<Button onPress={onShow}>{diff.showNow()}</Button>}>
      {diff.behind()}
    </Banner>
  );
}
