import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Refused } from '../../api/refusal';
import { type Command, useCommands } from '../../frame/commands';
import { Code } from '../../parts/Code';
import { type Me, useMe } from '../../session/me';
import { Banner, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { usePageTitle } from '../../ui/usePageTitle';
import { DomainsCard } from './DomainsCard';
import { domains as domainWords, redirect, providers as words } from './messages';
import { NewDomain } from './NewDomain';
import { ProviderForm } from './ProviderForm';
import { ProvidersCard } from './ProvidersCard';
import {
  type Domain,
  domainsQuery,
  NOT_IN_PLAN,
  type Provider,
  providersQuery,
  settingsQuery,
} from './queries';
import { RemoveDomain } from './RemoveDomain';
import { RemoveProvider } from './RemoveProvider';
import { RulesCard } from './RulesCard';

/** What is open over the page. */
export type Open =
  | { kind: 'provider'; stored: Provider | null }
  | { kind: 'removeProvider'; provider: Provider }
  | { kind: 'domain' }
  | { kind: 'removeDomain'; domain: Domain };

/** How members sign in: the organization's providers, the domains that these vouch for, and whether passwords do. */
export function ProvidersPage() {
  usePageTitle(words.title());
  const me = useMe();
  const mayWrite = me.role === 'owner' && me.permissions.includes('members.manage');
  const [open, setOpen] = useState<Open | null>(null);
  const [settings, listed, domains] = useQueries({ queries: [settingsQuery, providersQuery, domainsQuery] });
  useAdding(mayWrite, setOpen);
  const all = [settings, listed, domains];
  const failed = all.find(({ data, error }) => data === undefined && error instanceof Refused);
  if (failed?.error instanceof Refused) return <RefusalPage refusal={failed.error.refusal} />;
  if (settings.data === undefined || listed.data === undefined || domains.data === undefined) {
    return (
      <div className="page">
        <h1>{words.title()}</h1>
        <Loading>
          <Skeleton height="24rem" />
        </Loading>
      </div>
    );
  }

  const hasPlan = me.organization.plan === 'enterprise';
  const { only_by_provider, redirect_url } = settings.data;
  const isUnused = listed.data.items.length === 0 && domains.data.items.length === 0 && !only_by_provider;
  if (!hasPlan && isUnused) return <RefusalPage refusal={NOT_IN_PLAN} />;
  return (
    <div className="page">
      <div className="stack close">
        <h1>{words.title()}</h1>
        <p className="soft">{words.lead()}</p>
      </div>
      <Hindrance me={me} mayWrite={mayWrite} hasPlan={hasPlan} />
      <section className="card" aria-labelledby="redirect">
        <h2 id="redirect">{redirect.title()}</h2>
        <p className="soft">{redirect.text()}</p>
        <Code label={redirect.address()} text={redirect_url} copy={redirect.copy()} isWrapped />
      </section>
      <ProvidersCard providers={listed.data.items} mayWrite={mayWrite} onOpen={setOpen} />
      <DomainsCard domains={domains.data.items} mayWrite={mayWrite} onOpen={setOpen} />
      <RulesCard isRequired={only_by_provider} mayWrite={mayWrite} />
      <Opened open={open} onClose={() => setOpen(null)} />
    </div>
  );
}

/** Commands of the palette for those who may. */
function useAdding(mayWrite: boolean, onOpen: (open: Open) => void) {
  const commands = useMemo<readonly Command[]>(
    () =>
      mayWrite
        ? [
            {
              id: 'add-provider',
              title: words.add(),
              section: 'actions',
              keys: 'c',
              run: () => onOpen({ kind: 'provider', stored: null }),
            },
            {
              id: 'add-domain',
              title: domainWords.add(),
              section: 'actions',
              run: () => onOpen({ kind: 'domain' }),
            },
          ]
        : [],
    [mayWrite, onOpen],
  );
  useCommands(commands);
}

/** Why something below is disabled, or would be refused. */
function Hindrance({ me, mayWrite, hasPlan }: { me: Me; mayWrite: boolean; hasPlan: boolean }) {
  if (!mayWrite) {
    return (
      <Banner tone="note">{me.role === 'owner' ? words.customRole() : words.ownersOnly(me.role)}</Banner>
    );
  }
  return hasPlan ? null : <Banner tone="warn">{words.planEnded()}</Banner>;
}

function Opened({ open, onClose }: { open: Open | null; onClose: () => void }) {
  switch (open?.kind) {
    case 'provider':
      return <ProviderForm stored={open.stored} onClose={onClose} />;
    case 'removeProvider':
      return <RemoveProvider provider={open.provider} onClose={onClose} />;
    case 'domain':
      return <NewDomain onClose={onClose} />;
    case 'removeDomain':
      return <RemoveDomain domain={open.domain} onClose={onClose} />;
    case undefined:
      return null;
  }
}
