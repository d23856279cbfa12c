import type { ComponentChildren } from 'preact';
import { useQuery } from './use_query.ts';

/** Filters that came with a link and are not typed – ids, as a rule – by their name in the address: each shown with what takes it away. */
export function Chips({ of }: { of: { name: string; label: string; show?: (value: string) => ComponentChildren }[] }) {
  const { query, set } = useQuery();
  const chosen = of.flatMap(chip => {
    const value = query[chip.name];
    return value ? [{ ...chip, value }] : [];
  });
  if (chosen.length === 0) return null;
  return (
    <ul class="chips" aria-label="Only of">
      {chosen.map(({ name, label, value, show }) => (
        <li key={name} class="chip">
          <span class="quiet">{label}</span> {show ? show(value) : <code>{value}</code>}
          <button
            type="button"
            class="plain"
            aria-label={`Take this filter away: ${label}`}
            onClick={() => set({ [name]: undefined })}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
