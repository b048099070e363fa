import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, outcome } from '../../api/client';
import type { components } from '../../api/schema';
import type { NamedProject } from '../../frame/project';
import { Code } from '../../parts/Code';
import { MayNot } from '../../parts/MayNot';
import { useMe } from '../../session/me';
import { Button, buttonClass } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { Switch } from '../../ui/Switch';
import { warn } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { createKey as createNewKey, keysQuery, rotateKey } from '../keys/queries';
import { FLAG_KEY, LANGUAGES, type Language } from './languages';
import { onboarding } from './messages';
import { Program } from './Program';
import { firstFlagQuery, stepsQuery } from './queries';
import { Step } from './Step';
import { due, earlierKey } from './steps';
import { useAsked } from './useAsked';

type Environment = components['schemas']['Environment'];
type Steps = components['schemas']['OnboardingPatch'];

interface FirstRunProps {
  project: NamedProject;
  environment: Environment;
}

/** The steps to a first evaluation. Each marks itself as done when it is true. */
export function FirstRun({ project, environment }: FirstRunProps) {
  const { permissions } = useMe();
  const mayCreate = permissions.includes('flags.create');
  const client = useQueryClient();
  const [language, setLanguage] = useState<Language | undefined>(LANGUAGES[0]);
  const [keys, setKeys] = useState<Partial<Record<Language['keyType'], string>>>({});
  const [pending, setPending] = useState<'flag' | 'key' | 'state' | null>(null);

  const flag = useQuery(firstFlagQuery(project.id, environment.id));
  const hasFlag = flag.data?.isThere === true;
  const made = useQuery({ ...keysQuery(environment.id), enabled: permissions.includes('api_keys.read') });
  const { isAsked, count } = useAsked(environment.id);
  const { data: known } = useQuery(stepsQuery);
  const isOnline = useOnline();
  const apiKey = (language && keys[language.keyType]) ?? null;
  const earlier = language && earlierKey(made.data?.items ?? [], language.keyType, Date.now());
  const isToggled = flag.data?.wasChanged === true;

  const step = due(known, {
    first_flag_created: hasFlag,
    first_sdk_connected: isAsked,
    first_evaluation: isAsked,
  });
  const stepText = step === null ? null : JSON.stringify(step);
  useEffect(() => {
    if (stepText !== null) void mark(client, JSON.parse(stepText));
  }, [stepText, client]);

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
    await client.invalidateQueries({ queryKey: ['overview', project.id] });
  }

  /** A key that was made before takes the new one's place: its text cannot be shown again, and no key is left over. */
  async function createKey(type: Language['keyType']) {
    setPending('key');
    const answer =
      earlier === undefined
        ? await createNewKey(environment.id, { name: onboarding.keyName(), type })
        : await rotateKey(earlier.id, 0);
    setPending(null);
    if (answer.ok) setKeys({ ...keys, [type]: answer.data });
    else warn(refusalText(answer.refusal));
    await client.invalidateQueries({ queryKey: keysQuery(environment.id).queryKey });
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
    await client.invalidateQueries({ queryKey: ['overview', project.id] });
  }

  if (language === undefined) return null;
  return (
    <ol>
      <Step position={1} title={onboarding.flagTitle()} isDone={hasFlag}>
        {hasFlag ? (
          <p>{onboarding.flagThere(FLAG_KEY)}</p>
        ) : (
          <>
            <p className="soft">{onboarding.flagText(FLAG_KEY, environment.name)}</p>
            {mayCreate ? null : <Banner tone="note">{onboarding.mayNotCreate()}</Banner>}
            <Button
              look="primary"
              isDisabled={!mayCreate || !isOnline}
              isPending={pending === 'flag'}
              onPress={createFlag}
            >
              {onboarding.createFlag(FLAG_KEY)}
            </Button>
          </>
        )}
      </Step>
      <Step position={2} title={onboarding.keyTitle()} isDone={apiKey !== null || earlier !== undefined}>
        {apiKey === null ? (
          <>
            <p className="soft">
              {earlier === undefined ? onboarding.keyText() : onboarding.keyEarlier(earlier.key_prefix)}
            </p>
            <MayNot permit="api_keys.manage" />
            <Button
              look={hasFlag && earlier === undefined ? 'primary' : 'secondary'}
              isDisabled={!permissions.includes('api_keys.manage') || !isOnline}
              isPending={pending === 'key'}
              onPress={() => void createKey(language.keyType)}
            >
              {earlier === undefined ? onboarding.createKey() : onboarding.replaceKey()}
            </Button>
          </>
        ) : (
          <>
            <p role="status">{onboarding.keyMade()}</p>
            <Code label={onboarding.key()} text={apiKey} copy={onboarding.copyKey()} />
          </>
        )}
      </Step>
      <Step position={3} title={onboarding.programTitle()} isDone={isAsked}>
        <Program language={language} onLanguage={setLanguage} apiKey={apiKey} />
      </Step>
      <Step position={4} title={onboarding.waitTitle()} isDone={isAsked}>
        {isAsked ? (
          <Banner tone="good">{onboarding.arrived(count)}</Banner>
        ) : (
          <Banner tone="note">{onboarding.waiting()}</Banner>
        )}
      </Step>
      <Step position={5} title={onboarding.toggleTitle()} isDone={isToggled}>
        <p className="soft">{onboarding.toggleText()}</p>
        <Switch
          label={onboarding.toggle(FLAG_KEY, environment.name)}
          isOn={flag.data?.enabled === true}
          isDisabled={!hasFlag || pending === 'state' || !permissions.includes('flags.toggle') || !isOnline}
          onChange={isOn => void toggle(isOn)}
        />
        {isToggled && flag.data !== undefined ? (
          <p role="status">{onboarding.toggled(flag.data.enabled)}</p>
        ) : null}
        <Link
          to="/p/$project/flags"
          params={{ project: project.slug }}
          className={buttonClass(isToggled ? 'primary' : 'secondary')}
          onClick={() => void mark(client, { tour_completed: true })}
        >
          {onboarding.finish()}
        </Link>
      </Step>
    </ol>
  );
}

/** The steps are a service to the next visit: when they cannot be kept, nothing here depends on them. */
async function mark(client: QueryClient, steps: Steps): Promise<void> {
  const answer = await outcome(api.PATCH('/v1/onboarding', { body: steps }));
  if (answer.ok) client.setQueryData(stepsQuery.queryKey, answer.data);
}
