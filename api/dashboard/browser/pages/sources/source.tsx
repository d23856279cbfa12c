import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Facts, Loaded, Page } from '#api/dashboard/browser/parts/page.tsx';
import { usePathId } from '#api/dashboard/browser/parts/use_path_id.ts';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { kindName } from './kinds.ts';
import { Key } from './sources.tsx';
import { Unread } from './unread.tsx';

/** One source, and its webhooks that could not be read. */
export function SourcePage() {
  const id = usePathId();
  const reading = useReading('GET /v1/sources/{id}', { params: { id } });
  return (
    <Page title={reading.data?.name ?? 'Source'} eyebrow={<a href="/sources">Sources</a>}>
      <Loaded known={reading}>
        {source => (
          <>
            <Facts
              of={[
                ['State', <Badge of={source.state} />],
                ['Kind', kindName(source.kind)],
                ['Description', source.description],
                ['Signing key', <Key of={source.key_thumbprint} />],
                ['Webhook signature', source.psp_scheme],
                ['Registered', <Time at={source.created_at} />],
                ['Last event', source.last_event_at && <Time at={source.last_event_at} ago />],
                ['ID', <Copy text={source.id} label="source ID" whole />],
              ]}
            />
            {source.psp_scheme && <Unread source={source} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
