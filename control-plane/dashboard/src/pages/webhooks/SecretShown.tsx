import { Code } from '../../parts/Code';
import { Button } from '../../ui/Button';
import { CopyButton } from '../../ui/CopyButton';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { webhooks as words } from './messages';

interface SecretShownProps {
  secret: string;
  onClose: () => void;
}

/** The secret, this once. It is in the state of the page that opens this and nowhere else. */
export function SecretShown({ secret, onClose }: SecretShownProps) {
  return (
    <Dialog title={words.secretTitle()} isOpen isKept isWide onClose={onClose}>
      <Banner tone="warn">{words.secretOnce()}</Banner>
      <Code label={words.secret()} text={secret} isWrapped />
      <div>
        <CopyButton text={secret} label={words.copySecret()} />
      </div>
      <DialogActions>
        <Button look="primary" onPress={onClose}>
          {words.secretKept()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
