import { useInfiniteQuery } from '@tanstack/react-query';
import { Select } from '../../../ui/Select';
import { historyQuery } from '../history/queries';
import { explainWords } from './messages';

interface VersionPickerProps {
  projectId: string;
  flagKey: string;
  envId: string;
  /** `null` for the flag as it is now. */
  version: number | null;
  onChange: (version: number | null) => void;
}

const NOW = 'now';
const OLDER = 'older';

/** Which state of the past is explained beside the one of now. */
export function VersionPicker({ projectId, flagKey, envId, version, onChange }: VersionPickerProps) {
  const history = useInfiniteQuery(historyQuery(projectId, flagKey, envId));
  const versions = history.data?.pages.flatMap(({ data }) => data) ?? [];
  const isListed = version === null || versions.some(item => item.version === version);
  return (
    <Select
      label={explainWords.version()}
      choices={[
        { id: NOW, label: explainWords.now() },
        ...(isListed ? [] : [{ id: String(version), label: explainWords.versionName(version) }]),
        ...versions.map(({ version, at, actor, changed }) => ({
          id: String(version),
          label: explainWords.versionItem(version, at, actor.name, changed),
        })),
        ...(history.hasNextPage ? [{ id: OLDER, label: explainWords.older() }] : []),
      ]}
      value={version === null ? NOW : String(version)}
      onChange={id => {
        if (id === OLDER) void history.fetchNextPage();
        else onChange(id === NOW ? null : Number(id));
      }}
    />
  );
}
