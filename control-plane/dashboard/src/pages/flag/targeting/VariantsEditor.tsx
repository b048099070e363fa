import { Plus, Trash2 } from 'lucide-react';
import type { Variant } from '../../../api/model';
import { useDraft } from '../../../flagState/draft';
import { EditField } from '../../../parts/Fields';
import { Swatch, toneOf } from '../../../parts/Swatch';
import { Button, IconButton } from '../../../ui/Button';
import field from '../../../ui/Field.module.css';
import { useEditor, useProblem } from './editor';
import { ruleWords } from './messages';
import { PercentField } from './PercentField';
import { WHOLE } from './percent';
import styles from './Rules.module.css';
import { ValueField } from './ValueField';
import { evened, movedShare, sumOf } from './weights';

/** The variants of an A/B flag: shares that make 100 %, and what a change of them does to people. */
export function VariantsEditor() {
  const { flag, isReadOnly } = useEditor();
  const { base, draft, texts, set, setText } = useDraft();
  const problem = useProblem('variants');
  const { variants } = draft;
  const sum = sumOf(variants);
  const isWhole = sum === WHOLE;
  const change = base.variants.length > 0 && isWhole ? movedShare(base.variants, variants) : 0;
  const setVariants = (next: Variant[]) => set(before => ({ ...before, variants: next }));
  const remove = (place: number) => {
    for (const name of Object.keys(texts)) if (name.startsWith('variant:')) setText(name, null);
    setVariants(variants.toSpliced(place, 1));
  };
  const add = () =>
    setVariants([...variants, { key: '', value: flag.default_value, weight: Math.max(0, WHOLE - sum) }]);
  const isUsed = flag.flag_type === 'ab';
  return (
    <section className={styles.stack} aria-labelledby="variants">
      <h3 id="variants">{ruleWords.variants()}</h3>
      <p className="soft">
        {isUsed
          ? variants.length === 0
            ? ruleWords.noVariants()
            : ruleWords.variantsText(draft.rules.length > 0)
          : ruleWords.variantsIgnored()}
      </p>
      {variants.length > 0 ? <WeightsBar variants={variants} /> : null}
      {variants.map((variant, place) => (
        <VariantRow
          key={place}
          variant={variant}
          place={place}
          onChange={next => setVariants(variants.with(place, next))}
          onRemove={() => remove(place)}
        />
      ))}
      {variants.length > 0 ? (
        <p className={isWhole ? 'soft' : field.error} role="status">
          {isWhole ? ruleWords.weightsSum(sum) : (problem ?? ruleWords.problem({ kind: 'weights', sum }))}
          {change > 0 ? <> {ruleWords.changeVariant(change)}</> : null}
        </p>
      ) : null}
      {isReadOnly ? null : (
        <div className="row">
          {isUsed ? (
            <Button onPress={add}>
              <Plus size={16} aria-hidden />
              {ruleWords.addVariant()}
            </Button>
          ) : (
            <Button onPress={() => setVariants([])}>{ruleWords.clearVariants()}</Button>
          )}
          {variants.length > 1 ? (
            <Button look="quiet" onPress={() => setVariants(evened(variants))}>
              {ruleWords.even()}
            </Button>
          ) : null}
        </div>
      )}
    </section>
  );
}

function WeightsBar({ variants }: { variants: readonly Variant[] }) {
  return (
    <div className={styles.bar} role="img" aria-label={ruleWords.weightsBar(variants)}>
      {variants.map(({ key, weight }, place) => (
        <span key={place} style={{ flexGrow: weight, background: toneOf(place) }}>
          {key}
        </span>
      ))}
    </div>
  );
}

interface VariantRowProps {
  variant: Variant;
  place: number;
  onChange: (variant: Variant) => void;
  onRemove: () => void;
}

function VariantRow({ variant, place, onChange, onRemove }: VariantRowProps) {
  const { flag, isReadOnly } = useEditor();
  const keyProblem = useProblem(`variants[${place}].key`);
  const weightProblem = useProblem(`variants[${place}].weight`);
  const valueProblem = useProblem(`variants[${place}].value`);
  return (
    <fieldset className={styles.variant}>
      <legend className="hidden">{ruleWords.variant(place)}</legend>
      <div className={styles.swatched}>
        <Swatch place={place} />
        <EditField
          label={ruleWords.variantKey()}
          isCode
          isDisabled={isReadOnly}
          value={variant.key}
          onChange={key => onChange({ ...variant, key })}
          error={keyProblem}
        />
      </div>
      <PercentField
        field={`variant:${place}:weight`}
        label={ruleWords.weight()}
        isDisabled={isReadOnly}
        value={variant.weight}
        onChange={weight => onChange({ ...variant, weight })}
        error={weightProblem}
      />
      <ValueField
        field={`variant:${place}:value`}
        label={ruleWords.variantValue()}
        type="ab"
        value={variant.value}
        first={flag.default_value}
        mayBeNull
        isDisabled={isReadOnly}
        onChange={value => onChange({ ...variant, value })}
        error={valueProblem}
      />
      {isReadOnly ? null : (
        <IconButton label={ruleWords.removeVariant(variant.key, place)} onPress={onRemove}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
    </fieldset>
  );
}
