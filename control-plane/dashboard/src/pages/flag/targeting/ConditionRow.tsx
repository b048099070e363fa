import { ConditionEditor, type ConditionEditorProps } from '../../../conditions/ConditionEditor';
import { attributesOf } from '../../../conditions/edit';
import { useDraft } from '../../../flagState/draft';
import { useEditor, useProblem } from './editor';

interface ConditionRowProps
  extends Pick<ConditionEditorProps, 'condition' | 'place' | 'autoFocus' | 'onChange' | 'onRemove'> {
  /** As the service names it. */
  path: string;
}

/** A condition of a rule. */
export function ConditionRow({ path, ...rest }: ConditionRowProps) {
  const { known, isReadOnly } = useEditor();
  const { draft } = useDraft();
  // A name that is being typed here is not one yet.
  const others = draft.rules.flatMap(rule => rule.conditions).filter(other => other !== rest.condition);
  return (
    <ConditionEditor
      {...rest}
      attributes={attributesOf([...known, ...others])}
      isReadOnly={isReadOnly}
      attributeProblem={useProblem(`${path}.attribute`)}
      valuesProblem={useProblem(`${path}.values`)}
    />
  );
}
