import { Choice, TextField, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { LocalTimeField } from '#api/dashboard/browser/parts/time_field.tsx';
import type { Field, ConstraintTerms } from '#shared/mandates/kinds/words.ts';
import { DurationField } from '#api/dashboard/browser/parts/duration_field.tsx';
import { ListField, PayeesField } from './list_fields.tsx';
import { MoneyField } from './money_field.tsx';
import { denominationOf } from './money_text.ts';

/** One field of a constraint. `set` is handed what the member is now; undefined takes it away. */
export function ConstraintField({
  field,
  terms,
  set,
  problem,
}: {
  field: Field;
  terms: ConstraintTerms;
  set: (value: unknown) => void;
  problem: string | undefined;
}) {
  const { name, label } = field;
  const value = terms[name];
  const text = value === undefined ? '' : String(value as string | number);
  const hint = 'hint' in field ? field.hint : undefined;
  const labels = { label, ...(hint && { hint }), problem };
  switch (field.as) {
    case 'money':
      return (
        <MoneyField
          {...labels}
          digits={text}
          set={digits => set(digits === '' && field.optional ? undefined : digits)}
          of={denominationOf(terms)}
          required={!field.optional}
        />
      );
    case 'count':
      return (
        <TextField
          {...labels}
          type="number"
          value={text}
          set={next => set(next === '' ? undefined : Number(next))}
          required={!field.optional}
        />
      );
    case 'choice':
      return <Choice {...labels} value={text} set={set} of={field.of} />;
    case 'ticks':
      return <Ticks {...labels} value={Array.isArray(value) ? value.map(String) : []} set={set} of={field.of} />;
    case 'list':
    case 'lines':
      return (
        <ListField
          {...labels}
          hint={field.hint}
          value={Array.isArray(value) ? value.map(String) : []}
          set={set}
          lines={field.as === 'lines'}
          upper={field.upper ?? false}
        />
      );
    case 'payees':
      return <PayeesField {...labels} hint={hint ?? ''} value={Array.isArray(value) ? value : []} set={set} />;
    case 'duration':
      return <DurationField {...labels} seconds={Number(value)} set={set} />;
    case 'time':
      return <LocalTimeField {...labels} at={text || null} set={at => set(at ?? undefined)} />;
    case 'zone':
      return (
        <TextField
          {...labels}
          value={text}
          set={zone => set(zone.trim())}
          required
          maxLength={64}
          hint="Such as UTC or Europe/Berlin"
        />
      );
    default:
      return <TextField {...labels} value={text} set={next => set(next.trim())} required maxLength={200} />;
  }
}

function Ticks({
  label,
  value,
  set,
  of,
  problem,
}: {
  label: string;
  value: string[];
  set: (value: string[]) => void;
  of: readonly (readonly [string, string])[];
  problem: string | undefined;
}) {
  return (
    <fieldset class="ticks">
      <legend>{label}</legend>
      {of.map(([option, name]) => (
        <Tick
          key={option}
          label={name}
          value={value.includes(option)}
          set={on => set(of.map(([each]) => each).filter(each => (each === option ? on : value.includes(each))))}
        />
      ))}
      {problem && (
        <small class="wrong" role="alert">
          {problem}
        </small>
      )}
    </fieldset>
  );
}
