import { createClient } from '@halyard/web';

/** Follows the flags of one user, and calls `show` with a value now and after each change. */
export async function follow(url: string, key: string, show: (isNew: boolean) => void) {
  const flags = createClient({
    url,
    key,
    context: { key: 'user-1', attributes: { country: 'NL' } },
  });
  flags.on('error', ({ code, message }) => report(`${code}: ${message}`));
  const tell = () => show(flags.boolean('new-checkout', false));
  flags.on('change', tell);
  await flags.ready();
  tell();
  return flags;
}

/** Wherever your page sends what goes wrong. */
function report(text: string) {
  document.title = text;
}
