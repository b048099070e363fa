import { useEdgeUrl } from '../session/edgeUrl';
import { Banner } from '../ui/Feedback';
import { shared } from './messages';

/** Above a snippet whose address has to be filled in. */
export function NoEdgeUrl() {
  const { address, isKnown } = useEdgeUrl();
  return isKnown ? null : <Banner tone="warn">{shared.noEdgeUrl(address)}</Banner>;
}
