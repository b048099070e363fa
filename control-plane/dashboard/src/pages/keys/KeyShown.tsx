import { Code } from '../../parts/Code';
import { NoEdgeUrl } from '../../parts/NoEdgeUrl';
import { ShownOnce } from '../../parts/ShownOnce';
import { useEdgeUrl } from '../../session/edgeUrl';
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

/** A new key, with a command that uses it. */
export function KeyShown({ text, flag, onClose }: KeyShownProps) {
  const { address } = useEdgeUrl();
  const command = askCommand(address, text, flag ?? EXAMPLE_FLAG);
  return (
    <ShownOnce
      title={words.shownTitle()}
      warning={words.shownText()}
      label={words.key()}
      secret={text}
      copy={words.copyKey()}
      kept={words.kept()}
      onClose={onClose}
    >
      <h3>{words.tryTitle()}</h3>
      <p className="soft">{words.tryText(flag ?? EXAMPLE_FLAG)}</p>
      <NoEdgeUrl />
      <Code label={words.tryTitle()} text={command} copy={words.copyCommand()} isWrapped />
    </ShownOnce>
  );
}
