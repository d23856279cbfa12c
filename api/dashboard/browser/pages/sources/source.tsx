import { useState } from 'preact/hooks';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Facts, Loaded, Page } from '#api/dashboard/browser/parts/page.tsx';
import { usePathId } from '#api/dashboard/browser/parts/use_path_id.ts';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { DisableSource } from './disable_source.tsx';
import { kindName } from './kinds.ts';
import { SourceForm } from './source_form.tsx';
import { Key } from './sources.tsx';
import { Unread } from './unread.tsx';

/** One source, and its webhooks that could not be read. */
export function SourcePage() {
  const id = usePathId();
  const { may } = useSession();
  const [asked, setAsked] = useState<'edit' | 'state' | null>(null);
  const reading = useReading('GET /v1/sources/{id}', { params: { id } });
  return (
    <Page
      title={reading.data?.name ?? 'Source'}
      eyebrow={<a href="/sources">Sources</a>}
      actions={
        reading.data &&
        may('configure') && (
          <>
            <button type="button" onClick={() => setAsked('edit')}>
              Edit source
            </button>
            <button type="button" onClick={() => setAsked('state')}>
              {reading.data.state === 'active' ? 'Disable source' : 'Enable source'}
            </button>
          </>
        )
      }
    >
      <Loaded reading={reading}>
        {source => (
          <>
            <Facts
              of={[
                ['State', <Badge of={source.state} />],
                ['Kind', kindName(source.kind)],
                ['Description', source.description],
                ['Signing key', <Key of={source.key_thumbprint} />],
                ['Webhook signature', source.psp_scheme],
                [
                  'Webhook URL',
                  source.psp_scheme && (
                    <span class="wide">
                      <Copy text={`${location.origin}/v1/sources/${source.id}/webhooks`} label="webhook URL" whole />
                    </span>
                  ),
                ],
                ['Registered', <Time at={source.created_at} />],
                ['Last event', source.last_event_at && <Time at={source.last_event_at} ago />],
                ['ID', <Copy text={source.id} label="source ID" />],
              ]}
            />
            {source.psp_scheme && <Unread source={source} />}
            {asked === 'edit' && <SourceForm of={source} close={() => setAsked(null)} />}
            {asked === 'state' && <DisableSource source={source} close={() => setAsked(null)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
