import { Ask } from '../team/Ask';
import { Banner } from '../ui/Feedback';
import { insights } from './messages';

/** For roles that may not read metrics: what they miss, and whom to ask. */
export function NoMetrics() {
  return (
    <Banner tone="note">
      <p>
        <strong>{insights.forbiddenTitle()}</strong>
      </p>
      <p>{insights.forbidden()}</p>
      <Ask who="admins" />
    </Banner>
  );
}
