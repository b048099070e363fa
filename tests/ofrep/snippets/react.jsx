import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

/** Call it once, before the first rendering. */
export async function connect(edge, clientKey, user) {
  await OpenFeature.setContext(user);
  await OpenFeature.setProviderAndWait(
    new OFREPWebProvider({ baseUrl: edge, headers: [['X-API-Key', clientKey]] }),
  );
}

function Checkout() {
  // Renders again when the flag changes.
  const isNew = useBooleanFlagValue('new-checkout', false);
  return <p>{isNew ? 'the new checkout' : 'the old checkout'}</p>;
}

export function App() {
  return (
    <OpenFeatureProvider>
      <Checkout />
    </OpenFeatureProvider>
  );
}
