import { createContext, use } from 'react';
import type { Condition, Environment, Flag } from '../../../api/model';
import type { DraftValues } from '../../../flagState/explainDraft';
import type { Segments } from '../../../flagState/queries';
import type { Problems } from './checks';
import { ruleWords } from './messages';

/** The context of the parts of the editor. */
export interface Editor {
  flag: Flag;
  environment: Environment;
  /** This person may neither change rules and values nor request approval. */
  isReadOnly: boolean;
  /** The same for the switch and the schedule. */
  isSwitchLocked: boolean;
  segments: Segments;
  segmentName: (key: string) => string;
  /** The conditions that are stored, of this flag and of segments: where names of attributes are known from. */
  known: readonly Condition[];
  problems: Problems;
  /** The warnings of the service about each rule, by its id. */
  notes: ReadonlyMap<string, readonly string[]>;
  /** The values that the draft serves where rules name none; `null` while the service has not answered. */
  values: DraftValues | null;
  /** Problems are shown after the first attempt to save. */
  areProblemsShown: boolean;
  /** The service's refusal, and its field. */
  refused: { path: string; text: string } | null;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = use(EditorContext);
  if (editor === null) throw new Error('useEditor is used outside of the editor');
  return editor;
}

/** The message about a field. */
export function useProblem(path: string): string | undefined {
  const { problems, areProblemsShown, refused } = useEditor();
  if (refused?.path === path) return refused.text;
  const problem = areProblemsShown ? problems.get(path) : undefined;
  return problem === undefined ? undefined : ruleWords.problem(problem);
}
