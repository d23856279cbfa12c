import { useState } from 'preact/hooks';
import { Field } from './form.tsx';

/**
 * A value as JSON, for whoever knows it. What is no JSON, or not of the kind that `is` says, is not handed on, and its form cannot be
 * sent until it is; `wrong` says what would be right.
 */
export function JsonField<T>({
  label,
  value,
  set,
  is,
  wrong,
  lines,
}: {
  label: string;
  value: T;
  set: (value: T) => void;
  is: (value: unknown) => value is T;
  wrong: string;
  lines: number;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  const take = (area: HTMLTextAreaElement) => {
    const value_read = parsed(area.value);
    setText(area.value);
    setWrong(!is(value_read));
    area.setCustomValidity(is(value_read) ? '' : wrong);
    if (is(value_read)) set(value_read);
  };
  return (
    <Field label={label} problem={isWrong ? wrong : undefined}>
      {tie => (
        <textarea
          {...tie}
          class="code"
          rows={lines}
          spellcheck={false}
          value={text}
          onInput={event => take(event.currentTarget)}
        />
      )}
    </Field>
  );
}

/** Undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
