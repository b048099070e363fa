import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { diff } from './messages';

/** In a dialog with a difference: another person saved, so that the difference is another one now. */
export function Behind({ onShow }: { onShow: () => void }) {
  return (
    <Banner tone="warn" actions={<Button onPress={onShow}>{diff.showNow()}</Button>}>
      {diff.behind()}
    </Banner>
  );
}
