import { Code } from '../../parts/Code';
import { NoEdgeUrl } from '../../parts/NoEdgeUrl';
import { useEdgeUrl } from '../../session/edgeUrl';
import { Button } from '../../ui/Button';
import { CopyButton } from '../../ui/CopyButton';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { askCommand } from './lifetime';
import { apiKeys as words } from './messages';

/** The flag of the example while the project has none. */
const EXAMPLE_FLAG = 'new-checkout';

interface KeyShownProps {
  text: string;
  /** A flag of the project. */
  flag: string | null;
  onClose: () => void;
}

/** The key, this once. Its text is in the state of the page that opens this and nowhere else. */
export function KeyShown({ text, flag, onClose }: KeyShownProps) {
  const { address } = useEdgeUrl();
  const command = askCommand(address, text, flag ?? EXAMPLE_FLAG);
  return (
    <Dialog title={words.shownTitle()} isOpen isKept isWide onClose={onClose}>
      <Banner tone="warn">{words.shownText()}</Banner>
      <Code label={words.key()} text={text} isWrapped />
      <div>
        <CopyButton text={text} label={words.copyKey()} />
      </div>
      <h3>{words.tryTitle()}</h3>
      <p className="soft">{words.tryText(flag ?? EXAMPLE_FLAG)}</p>
      <NoEdgeUrl />
      <Code label={words.tryTitle()} text={command} isWrapped />
      <div>
        <CopyButton text={command} label={words.copyCommand()} />
      </div>
      <DialogActions>
        <Button look="primary" onPress={onClose}>
          {words.kept()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
