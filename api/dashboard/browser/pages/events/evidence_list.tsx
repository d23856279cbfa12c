import type { EventDetail } from '#shared/events/log/events.ts';
import { bytesText } from '#api/dashboard/browser/parts/format.ts';
import { JsonText } from '#api/dashboard/browser/parts/json_text.tsx';
import { Facts, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Copy } from '#api/dashboard/browser/parts/values.tsx';

type Evidence = EventDetail['evidence'][number];

/** What came with the event to prove it. */
export const EvidenceList = ({ event: { evidence } }: { event: EventDetail }) =>
  evidence.length > 0 && (
    <Section title="Evidence">
      <div class="cards">
        {evidence.map(piece => (
          <Piece key={piece.id} piece={piece} />
        ))}
      </div>
    </Section>
  );

const Piece = ({ piece: { id, kind, label, media_type, encoding, sha256, value } }: { piece: Evidence }) => (
  <article class="card">
    <header>
      <h3>{label ?? kind}</h3>
      {label && <small class="quiet">{kind}</small>}
    </header>
    <Facts
      of={[
        ['SHA-256', <Copy text={sha256} label="SHA-256" />],
        ['Evidence ID', <Copy text={id} label="evidence ID" />],
        ['Media type', media_type],
        ['Encoding', encoding === 'base64' ? 'base64' : null],
      ]}
    />
    {value === null ? (
      <p class="quiet">Erased. The SHA-256 is kept so that a copy stored elsewhere can be compared.</p>
    ) : (
      <details>
        <summary>Show content ({sizeOf(value)})</summary>
        <JsonText value={value} label={label ?? kind} />
      </details>
    )}
  </article>
);

const sizeOf = (value: unknown): string =>
  bytesText(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)).length);
