import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Environment } from '../api/model';
import type { NamedProject } from '../frame/project';
import { useSecondsLeft } from '../session/countdown';
import { useMe } from '../session/me';
import { Ask } from '../team/Ask';
import { Button } from '../ui/Button';
import { EnvironmentChip } from '../ui/Chip';
import { refusalText } from '../ui/refusalText';
import { Select } from '../ui/Select';
import { Switch } from '../ui/Switch';
import { useOnline } from '../ui/useOnline';
import { Answer } from './Answer';
import { mayAsk, maySample, maySeeExamples } from './may';
import { whatIf as words } from './messages';
import { type Draft, samplingQuery } from './queries';
import { useAsking } from './useAsking';

const ALL = '';
/** Contexts that are shown of each environment. */
const EXAMPLES = 5;

interface WhatIfProps {
  project: NamedProject;
  /** Where the draft changes something. */
  environments: readonly Environment[];
  draft: Draft;
}

/** Asks edges what a draft would have changed of their answers, in each environment of which they keep samples. */
export default function WhatIf(props: WhatIfProps) {
  return mayAsk(useMe()) ? <Asking {...props} /> : <p className="soft">{words.mayNot()}</p>;
}

function Asking({ project, environments, draft }: WhatIfProps) {
  const isOnline = useOnline();
  const { outcomes, isPending, until, run } = useAsking(project.id, draft);
  const left = useSecondsLeft(until);
  const [by, setBy] = useState(ALL);
  const [countedBy, setCountedBy] = useState(ALL);
  const [hasExamples, setExamples] = useState(false);
  const maySee = maySeeExamples(useMe());
  const samplings = useQueries({ queries: environments.map(({ id }) => samplingQuery(project.id, id)) });
  if (samplings.some(({ isPending: isUnknown }) => isUnknown)) return null;

  const places = environments.map((environment, index) => ({
    environment,
    sampling: samplings[index]?.data,
  }));
  const sampled = places.filter(({ sampling }) => sampling?.enabled === true);
  const off = places.filter(({ sampling }) => sampling?.enabled === false);
  const attributes = [...new Set(sampled.flatMap(({ sampling }) => sampling?.attributes ?? []))].sort();

  const ask = () => {
    setCountedBy(by);
    return run(
      sampled.map(({ environment, sampling }) => ({
        envId: environment.id,
        extras: {
          ...(sampling?.attributes.includes(by) ? { by } : {}),
          ...(hasExamples ? { examples: EXAMPLES } : {}),
        },
      })),
    );
  };

  return (
    <div className="stack">
      {sampled.length === 0 ? null : (
        <>
          <p className="soft">{words.lead()}</p>
          <div className="row low">
            <Button isPending={isPending} isDisabled={!isOnline || left > 0} onPress={() => void ask()}>
              {outcomes.size === 0 ? words.ask() : words.again()}
            </Button>
            {attributes.length === 0 ? null : (
              <Select
                label={words.by()}
                choices={[
                  { id: ALL, label: words.byNothing() },
                  ...attributes.map(name => ({ id: name, label: name })),
                ]}
                value={by}
                onChange={setBy}
              />
            )}
          </div>
          {maySee ? (
            <div className="stack close">
              <Switch label={words.examplesOf(EXAMPLES)} isOn={hasExamples} onChange={setExamples} />
              <p className="soft small">{words.examplesText()}</p>
            </div>
          ) : null}
        </>
      )}
      {left > 0 ? <p role="timer">{words.wait(left)}</p> : null}
      {sampled.map(({ environment }) => {
        const outcome = outcomes.get(environment.id);
        if (outcome === undefined) return null;
        return (
          <div key={environment.id} className="stack close">
            {environments.length === 1 ? null : (
              <h3>
                <EnvironmentChip name={environment.name} color={environment.color} />
              </h3>
            )}
            {outcome.ok ? (
              <Answer answer={outcome.data} by={countedBy === ALL ? undefined : countedBy} />
            ) : (
              <p role="status">{refusalText(outcome.refusal)}</p>
            )}
          </div>
        );
      })}
      {off.length === 0 ? null : <Off project={project} environments={off.map(place => place.environment)} />}
    </div>
  );
}

/** Where nobody can tell, and who can change that. */
function Off({ project, environments }: Omit<WhatIfProps, 'draft'>) {
  const me = useMe();
  const mine = environments.filter(environment => maySample(me, environment));
  return (
    <div className="stack close soft">
      <p>{words.off(environments.map(({ name }) => name))}</p>
      {mine.length < environments.length ? <Ask who="admins" words={words.askFor} /> : null}
      {mine.map(({ id, name, slug }) => (
        // A new tab: what is not saved here stays.
        <Link
          key={id}
          to="/p/$project/environments"
          params={{ project: project.slug }}
          search={{ sampling: slug }}
          target="_blank"
        >
          {words.setting(name)}
        </Link>
      ))}
    </div>
  );
}
