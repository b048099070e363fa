import { ShownOnce } from '../../parts/ShownOnce';
import { webhooks as words } from './messages';

interface SecretShownProps {
  secret: string;
  onClose: () => void;
}

export function SecretShown({ secret, onClose }: SecretShownProps) {
  return (
    <ShownOnce
      title={words.secretTitle()}
      warning={words.secretOnce()}
      label={words.secret()}
      secret={secret}
      copy={words.copySecret()}
      kept={words.secretKept()}
      onClose={onClose}
    />
  );
}
