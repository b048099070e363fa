import { useQuery } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import { Radios } from '../../parts/Radios';
import { Button } from '../../ui/Button';
import { PasswordField, TextField } from '../../ui/Field';
import { PartLoading } from '../../ui/PartLoading';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { explainSource } from './explainSource';
import styles from './Migration.module.css';
import { migration as words } from './messages';
import { connect, type Provider, providersQuery } from './queries';
import { type Credentials, sourceOf } from './source';

interface SourceStepProps {
  credentials: Credentials;
  onChange: (credentials: Credentials) => void;
  onConnected: () => void;
}

/** Where to read from, and with which credential. */
export function SourceStep({ credentials, onChange, onConnected }: SourceStepProps) {
  const providers = useQuery(providersQuery);
  const { provider } = credentials;

  async function submit(): Promise<Refusal | null> {
    const answer = await connect(sourceOf(credentials));
    if (!answer.ok) return answer.refusal;
    say(words.connected(words.providerName(provider)));
    onConnected();
    return null;
  }

  if (providers.data === undefined) {
    return <PartLoading error={providers.error} height="20rem" />;
  }
  return (
    <div className={styles.form}>
      <ServerForm label={words.step('source')} onSubmit={submit} explain={explainSource}>
        {({ isPending, isWaiting }) => (
          <>
            <Radios<Provider>
              label={words.from()}
              choices={providers.data.map(({ name, display_name, capabilities }) => ({
                id: name as Provider,
                label: display_name,
                hint: words.capabilities(capabilities),
              }))}
              value={provider}
              onChange={next => onChange({ ...credentials, provider: next })}
            />
            <TextField
              name="base_url"
              label={words.address()}
              description={words.addressText(provider)}
              isRequired={provider === 'provider_b'}
              inputMode="url"
              autoComplete="off"
              spellCheck="false"
              maxLength={2048}
              value={credentials.baseUrl}
              onChange={baseUrl => onChange({ ...credentials, baseUrl })}
            />
            <TextField
              name="project_key"
              label={words.projectKey()}
              description={words.projectKeyText(provider)}
              isRequired={provider !== 'provider_c'}
              autoComplete="off"
              spellCheck="false"
              maxLength={1024}
              value={credentials.projectKey}
              onChange={projectKey => onChange({ ...credentials, projectKey })}
            />
            <PasswordField
              name="api_key"
              label={words.apiKey()}
              description={words.apiKeyText(provider)}
              isRequired
              autoComplete="off"
              maxLength={1024}
              value={credentials.apiKey}
              onChange={apiKey => onChange({ ...credentials, apiKey })}
            />
            <div className="row">
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {words.connect()}
              </Button>
            </div>
          </>
        )}
      </ServerForm>
    </div>
  );
}
