import { useState } from 'preact/hooks';
import { Choice, TextField, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { formatDuration } from '#shared/values/time.ts';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';

type Values = Record<string, unknown>;

/** What of JSON Schema the parameters of detectors use. */
type Schema = {
  title?: string;
  type?: string;
  description?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: { type?: string };
};

/** The parameters of a detector as fields, made from their schema. What is no value of its kind is sent as it was typed, and refused. */
export function ParameterFields({
  schema,
  values,
  defaults,
  set,
  problemAt,
}: {
  schema: Values;
  values: Values;
  defaults: Values;
  set: (name: string, value: unknown) => void;
  problemAt: (name: string) => string | undefined;
}) {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  return (
    <>
      {Object.entries(properties).map(([name, property]) => (
        <div key={name} class="parameter">
          <ParameterField
            name={name}
            schema={property}
            value={values[name]}
            set={value => set(name, value)}
            problem={problemAt(name)}
          />
          <p class="quiet">
            {isSame(values[name], defaults[name]) ? (
              'Default'
            ) : (
              <>
                Default: {shownValue(name, defaults[name])}{' '}
                <button
                  type="button"
                  class="link"
                  aria-label={`Reset ${labelOf(name, schema)} to default`}
                  onClick={() => set(name, defaults[name])}
                >
                  Reset
                </button>
              </>
            )}
          </p>
        </div>
      ))}
    </>
  );
}

/** What the parameters of a behavioral detector are while nobody has set one. */
export const ByBudget = () => (
  <p class="quiet">
    The <a href="/detectors">alert budget</a> decides when this detector raises an alert. The parameters below take over
    once you customize one; until then, they are at most floors below which it stays silent.
  </p>
);

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function ParameterField({
  name,
  schema,
  value,
  set,
  problem,
}: {
  name: string;
  schema: Schema;
  value: unknown;
  set: (value: unknown) => void;
  problem: string | undefined;
}) {
  const label = labelOf(name, { properties: { [name]: schema } });
  const meaning = schema.description ?? '';
  if (schema.type === 'boolean') return <Tick label={label} hint={meaning} value={value === true} set={set} />;
  if (schema.enum)
    return (
      <Choice
        label={label}
        hint={meaning}
        value={String(value)}
        set={set}
        of={schema.enum.map(option => [String(option), wordsOf(String(option))] as const)}
        problem={problem}
      />
    );
  if (schema.type === 'array')
    return (
      <TextField
        label={label}
        hint={`${meaning}. Separate values with commas, or leave blank.`}
        value={Array.isArray(value) ? value.join(', ') : String(value)}
        set={text => set(text === '' ? [] : text.split(/,\s?/))}
        problem={problem}
      />
    );
  if (schema.type === 'number' || schema.type === 'integer')
    return (
      <NumberField
        label={label}
        hint={[meaning, rangeOf(schema), durationOf(name, value)].filter(Boolean).join('; ')}
        {...(schema.type === 'integer' && { inputMode: 'numeric' as const })}
        value={value}
        set={set}
        problem={problem}
      />
    );
  return <TextField label={label} hint={meaning} value={String(value)} set={set} required problem={problem} />;
}

/** A number as it is typed: `0.10` stays so in the field, and is 0.1. */
function NumberField({
  value,
  set,
  ...rest
}: {
  label: string;
  hint: string;
  inputMode?: 'numeric';
  value: unknown;
  set: (value: unknown) => void;
  problem: string | undefined;
}) {
  const [typed, setTyped] = useState(String(value));
  const take = (text: string) => {
    setTyped(text);
    set(numberOf(text));
  };
  // Something else may have set it: the way back to the default.
  return <TextField {...rest} value={numberOf(typed) === value ? typed : String(value)} set={take} required />;
}

/** What is no number stays text, for the API to refuse. */
const numberOf = (text: string): number | string =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `from ${countText(minimum)} to ${countText(maximum)}`;
  return minimum === undefined ? '' : `at least ${countText(minimum)}`;
}

const durationOf = (name: string, value: unknown): string =>
  name.endsWith('_s') && typeof value === 'number' && value >= 120 ? `currently ${formatDuration(value * 1_000)}` : '';

/** What a parameter is called, from the schema of all of them, and in what it is measured. */
const labelOf = (name: string, schema: Values): string =>
  nameOf(name, schema) + (name.endsWith('_s') ? ' (seconds)' : name.endsWith('_usd') ? ' (US dollars)' : '');

/** What a parameter is called, from the schema of all of them. */
export function nameOf(name: string, schema: Values | undefined): string {
  const properties = (schema?.['properties'] ?? {}) as Record<string, Schema>;
  return properties[name]?.title ?? wordsOf(name.replace(/_(s|usd)$/, ''));
}

/** A value of a parameter for reading. */
export function shownValue(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.join(', ');
  if (name.endsWith('_s') && typeof value === 'number') return formatDuration(value * 1_000);
  if (name.endsWith('_usd') && typeof value === 'string' && !Number.isNaN(Number(value))) return `$${value}`;
  if (typeof value === 'number') return countText(value);
  return String(value);
}
