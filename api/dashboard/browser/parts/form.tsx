import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { ProblemNote } from './problem_note.tsx';

type FieldProps = { label: string; hint?: string; problem?: string | undefined };
/** What ties a control to its label, its hint, and what is wrong with it. */
export type Described = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined };

/** A label, the control that `children` makes with what ties it to the label, a hint, and what is wrong with it. */
export function Field({
  label,
  hint,
  problem,
  children,
}: FieldProps & { children: (tie: Described) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined })}
      {hint && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
      {problem && (
        <small id={`${id}-problem`} class="wrong">
          {problem}
        </small>
      )}
    </div>
  );
}

type TextProps = FieldProps & {
  value: string;
  set: (value: string) => void;
  type?: 'text' | 'email' | 'number' | 'datetime-local' | 'date' | 'time' | 'url';
  required?: boolean;
  autoFocus?: boolean;
  autoComplete?: string;
  inputMode?: 'numeric' | 'text';
  maxLength?: number;
  placeholder?: string;
  /** So many lines to write in. */
  lines?: number;
};

/** A line to write in, or several. */
export const TextField = ({ label, hint, problem, value, set, lines, type = 'text', ...rest }: TextProps) => (
  <Field label={label} {...(hint && { hint })} problem={problem}>
    {tie =>
      lines ? (
        <textarea
          {...tie}
          rows={lines}
          value={value}
          required={rest.required}
          maxLength={rest.maxLength}
          placeholder={rest.placeholder}
          autoFocus={rest.autoFocus}
          onInput={event => set(event.currentTarget.value)}
        />
      ) : (
        <input {...tie} {...rest} {...typeOf(type)} value={value} onInput={event => set(event.currentTarget.value)} />
      )
    }
  </Field>
);

/** The type of an input that is known only when it runs; Preact's types want to know it before. */
export const typeOf = (type: string) => ({ type }) as { type: 'number' };

/** One of several. `none`: the word for choosing none of them. */
export const Choice = ({
  label,
  hint,
  problem,
  value,
  set,
  of,
  none,
}: FieldProps & {
  value: string;
  set: (value: string) => void;
  of: readonly (readonly [value: string, label: string])[];
  none?: string;
}) => (
  <Field label={label} {...(hint && { hint })} problem={problem}>
    {tie => (
      <select {...tie} value={value} onChange={event => set(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {of.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** A box to tick. */
export const Tick = ({
  label,
  value,
  set,
  hint,
}: {
  label: string;
  value: boolean;
  set: (value: boolean) => void;
  hint?: string;
}) => (
  <label class="tick">
    <input type="checkbox" checked={value} onChange={event => set(event.currentTarget.checked)} />
    <span>
      {label}
      {hint && <small class="quiet block">{hint}</small>}
    </span>
  </label>
);

/**
 * A form: what was refused is marked in its fields, the first of which gets the focus, or stands above the button that sends it. Ctrl or Cmd with Enter sends it
 * from wherever one is in it.
 */
export function Form({
  send,
  busy,
  problem,
  button,
  danger = false,
  cancel,
  children,
}: {
  send: () => Promise<unknown>;
  busy: boolean;
  problem: Problem | null;
  button: string;
  danger?: boolean;
  cancel?: () => void;
  children?: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const wrong = problem && form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    // What is folded away is unfolded; else it would have no focus to get.
    for (let at = wrong?.closest('details'); at; at = at.parentElement?.closest('details')) at.open = true;
    wrong?.focus();
  }, [problem]);
  return (
    <form
      ref={form}
      class="form"
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={event => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      {children}
      <ProblemNote problem={problem} />
      <div class="actions">
        <button type="submit" class={danger ? 'danger' : 'main'} disabled={busy}>
          {button}
        </button>
        {cancel && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}
