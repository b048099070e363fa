import { Banner } from '../ui/Feedback';
import { grantWords as words } from './messages';
import type { Grant } from './queries';

/** What is left of the grants by which this person may save without approval. */
export default function MyGrants({ grants }: { grants: readonly Grant[] }) {
  return (
    <Banner tone="note">
      {grants.map(grant => (
        <p key={grant.id}>{words.mine(grant)}</p>
      ))}
      <p>{words.beyond()}</p>
    </Banner>
  );
}
