import { saveState } from '../../flagState/save';
import { refusalText } from '../../ui/refusalText';

interface Named {
  id: string;
  name: string;
}

/** A new flag has no state anywhere: who stored one meanwhile is not overwritten. */
const NOT_STORED = '"0"';

/** Switches a new flag on, in one environment after another, and returns for each why it was refused. */
export async function switchOn<T extends Named>(
  projectID: string,
  flagKey: string,
  environments: readonly T[],
): Promise<{ environment: T; why: string | null }[]> {
  const results: { environment: T; why: string | null }[] = [];
  for (const environment of environments) {
    const answer = await saveState({ projectID, flagKey, envID: environment.id }, NOT_STORED, {
      enabled: true,
    });
    results.push({ environment, why: answer.ok ? null : refusalText(answer.refusal) });
  }
  return results;
}
