import type { Checkpoint } from '#shared/ledger/checkpoints.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';

/** Every checkpoint that was signed, the newest first. */
export function Checkpoints() {
  const list = useRows('GET /v1/log/checkpoints', [], { limit: 20, idOf: ({ size }) => String(size) });
  return (
    <Section title="Checkpoints">
      <List caption="Checkpoints" list={list} columns={columns} empty={<p class="quiet">No checkpoints yet</p>} />
    </Section>
  );
}

const columns: Column<Checkpoint>[] = [
  { name: 'Events', align: 'end', show: ({ size }) => countText(size) },
  { name: 'Signed', show: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Root', from: 'middle', show: ({ root_hash }) => <Copy text={root_hash} label="root" /> },
  {
    name: 'Note',
    show: ({ note, size }) => (
      <details>
        <summary>Show</summary>
        <pre class="wrap" aria-label={`Checkpoint at ${size} events`}>
          {note}
        </pre>
      </details>
    ),
  },
];
