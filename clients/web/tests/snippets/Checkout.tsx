import { createClient } from '@halyard/web';
import { HalyardProvider, useClient, useFlag, useFlagDetail } from '@halyard/web/react';

export function App({ flags }: { flags: ReturnType<typeof createClient> }) {
  return (
    <HalyardProvider client={flags}>
      <Checkout />
    </HalyardProvider>
  );
}

function Checkout() {
  // Renders again when this flag changes, and not when others do.
  const isNew = useFlag('new-checkout', false);
  const { value: color, variant } = useFlagDetail('button-color', 'blue');
  const flags = useClient();
  return (
    <button type="button" style={{ color }} onClick={() => flags.track('button-color', variant)}>
      {isNew ? 'Pay at once' : 'To the basket'}
    </button>
  );
}

/** Once, before the first rendering. Where the user signs in or out, `flags.identify({ key: … })` follows. */
export function connect(url: string, key: string) {
  return createClient({ url, key, context: { key: 'user-1' } });
}
