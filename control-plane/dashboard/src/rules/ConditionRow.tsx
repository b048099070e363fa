import { ConditionEditor, type ConditionEditorProps } from './ConditionEditor';
import { useEditor, useProblem } from './editor';

interface ConditionRowProps
  extends Pick<ConditionEditorProps, 'condition' | 'place' | 'autoFocus' | 'onChange' | 'onRemove'> {
  /** As the service names it. */
  path: string;
}

/** A condition of a rule. */
export function ConditionRow({ path, ...rest }: ConditionRowProps) {
  const { attributes, isReadOnly } = useEditor();
  return (
    <ConditionEditor
      {...rest}
      attributes={attributes}
      isReadOnly={isReadOnly}
      attributeProblem={useProblem(`${path}.attribute`)}
      valuesProblem={useProblem(`${path}.values`)}
    />
  );
}
