import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

/** Fetches all flags for one user, and calls `show` with a value now and after each change. */
export async function follow(edge, clientKey, user, show) {
  await OpenFeature.setContext(user);
  await OpenFeature.setProviderAndWait(
    new OFREPWebProvider({ baseUrl: edge, headers: [['X-API-Key', clientKey]] }),
  );
  const flags = OpenFeature.getClient();
  const tell = () => show(flags.getBooleanValue('new-checkout', false));
  tell();
  flags.addHandler(ProviderEvents.ConfigurationChanged, tell);
}
