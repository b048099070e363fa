import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { webhooks as words } from './messages';
import type { Delivery } from './queries';
import { testAfter } from './results';

interface TestResultProps {
  before: readonly string[];
  deliveries: readonly Delivery[];
  onOpen: (id: string) => void;
}

/** How the test ended that was asked for last. */
export function TestResult({ before, deliveries, onOpen }: TestResultProps) {
  const made = testAfter(before, deliveries);
  if (made === null) return <Banner tone="note">{words.testing()}</Banner>;
  const { id, success, response_status, duration_ms, error } = made;
  return (
    <Banner
      tone={success ? 'good' : 'warn'}
      actions={<Button onPress={() => onOpen(id)}>{words.testShow()}</Button>}
    >
      {success ? words.testGood(response_status, duration_ms) : words.testBad(error ?? words.statusOf(made))}
    </Banner>
  );
}
