import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, outcome } from '../api/client';
import type { components } from '../api/schema';
import type { NamedProject } from '../frame/project';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { Button, buttonClass } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { Banner } from '../ui/Feedback';
import { refusalText } from '../ui/refusalText';
import { Switch } from '../ui/Switch';
import { warn } from '../ui/say';
import { FLAG_KEY, LANGUAGES, type Language } from './languages';
import { Program } from './Program';
import { askedQuery, flagQuery, stateQuery } from './queries';
import { Code, Step } from './Step';

type Environment = components['schemas']['Environment'];
type Steps = components['schemas']['OnboardingPatch'];

/** How often the counters are read while nobody has asked yet. */
const ASK_EVERY_MS = 2000;

interface FirstRunProps {
  project: NamedProject;
  environment: Environment;
}

/** The steps to a first evaluation. Each marks itself as done when it is true. */
export function FirstRun({ project, environment }: FirstRunProps) {
  const { permissions } = useMe();
  const client = useQueryClient();
  const [language, setLanguage] = useState<Language | undefined>(LANGUAGES[0]);
  const [keys, setKeys] = useState<Partial<Record<Language['keyType'], string>>>({});
  const [pending, setPending] = useState<'flag' | 'key' | 'state' | null>(null);

  const flag = useQuery(flagQuery(project.id));
  const hasFlag = flag.data !== undefined && flag.data !== null;
  const state = useQuery({ ...stateQuery(project.id, environment.id), enabled: hasFlag });
  const isReader = permissions.includes('metrics.read');
  const asked = useQuery({ ...askedQuery(environment.id), enabled: isReader, refetchInterval: ASK_EVERY_MS });
  const isAsked = (asked.data ?? 0) > 0;
  const apiKey = (language && keys[language.keyType]) ?? null;

  useEffect(() => {
    if (hasFlag) void mark({ first_flag_created: true });
  }, [hasFlag]);
  useEffect(() => {
    if (isAsked) void mark({ first_sdk_connected: true, first_evaluation: true });
  }, [isAsked]);

  async function createFlag() {
    setPending('flag');
    const answer = await outcome(
      api.POST('/v1/projects/{projectID}/flags', {
        params: { path: { projectID: project.id } },
        body: { key: FLAG_KEY, name: FLAG_KEY },
      }),
    );
    setPending(null);
    if (!answer.ok && answer.refusal.kind !== 'conflict') warn(refusalText(answer.refusal));
    await client.invalidateQueries({ queryKey: ['onboarding'] });
  }

  async function createKey(type: Language['keyType']) {
    setPending('key');
    const answer = await outcome(
      api.POST('/v1/environments/{envID}/api-keys', {
        params: { path: { envID: environment.id } },
        body: { name: t.onboarding.keyName(), type },
      }),
    );
    setPending(null);
    if (answer.ok) setKeys({ ...keys, [type]: answer.data.key });
    else warn(refusalText(answer.refusal));
  }

  async function toggle(enabled: boolean) {
    setPending('state');
    const answer = await outcome(
      api.PUT('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
        params: {
          path: { projectID: project.id, flagKey: FLAG_KEY, envID: environment.id },
          query: { wait: 'edges' },
        },
        body: { enabled },
      }),
    );
    setPending(null);
    if (!answer.ok) warn(refusalText(answer.refusal));
    await client.invalidateQueries({ queryKey: ['onboarding', 'state'] });
  }

  if (language === undefined) return null;
  return (
    <ol>
      <Step position={1} title={t.onboarding.flagTitle()} isDone={hasFlag}>
        {hasFlag ? (
          <p>{t.onboarding.flagThere(FLAG_KEY)}</p>
        ) : (
          <>
            <p className="soft">{t.onboarding.flagText(FLAG_KEY, environment.name)}</p>
            <Button
              look="primary"
              isDisabled={!permissions.includes('flags.create')}
              isPending={pending === 'flag'}
              onPress={createFlag}
            >
              {t.onboarding.createFlag(FLAG_KEY)}
            </Button>
          </>
        )}
      </Step>
      <Step position={2} title={t.onboarding.keyTitle()} isDone={apiKey !== null}>
        <p className="soft">{t.onboarding.keyText()}</p>
        {apiKey === null ? (
          <Button
            isDisabled={!permissions.includes('api_keys.manage')}
            isPending={pending === 'key'}
            onPress={() => void createKey(language.keyType)}
          >
            {t.onboarding.createKey()}
          </Button>
        ) : (
          <>
            <p role="status">{t.onboarding.keyMade()}</p>
            <Code label={t.onboarding.key()} text={apiKey} />
            <CopyButton text={apiKey} label={t.onboarding.copyKey()} />
          </>
        )}
      </Step>
      <Step position={3} title={t.onboarding.programTitle()} isDone={isAsked}>
        <Program language={language} onLanguage={setLanguage} apiKey={apiKey} />
      </Step>
      <Step position={4} title={t.onboarding.waitTitle()} isDone={isAsked}>
        {isAsked ? (
          <Banner tone="good">{t.onboarding.arrived(asked.data ?? 0)}</Banner>
        ) : (
          <Banner tone="note">{isReader ? t.onboarding.waiting() : t.onboarding.mayNotSee()}</Banner>
        )}
      </Step>
      <Step position={5} title={t.onboarding.toggleTitle()} isDone={false}>
        <p className="soft">{t.onboarding.toggleText()}</p>
        <Switch
          label={t.onboarding.toggle(FLAG_KEY, environment.name)}
          isOn={state.data?.enabled === true}
          isDisabled={!hasFlag || pending === 'state' || !permissions.includes('flags.toggle')}
          onChange={isOn => void toggle(isOn)}
        />
        <Link
          to="/p/$project/flags"
          params={{ project: project.slug }}
          className={buttonClass('primary')}
          onClick={() => void mark({ tour_completed: true })}
        >
          {t.onboarding.finish()}
        </Link>
      </Step>
    </ol>
  );
}

/** The steps are a service to the next visit: when they cannot be kept, nothing here depends on them. */
async function mark(steps: Steps): Promise<void> {
  await outcome(api.PATCH('/v1/onboarding', { body: steps }));
}
