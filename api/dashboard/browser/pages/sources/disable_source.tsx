import type { Source } from '#shared/keys/sources.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

/** Disables a source, or enables it again. */
export function DisableSource({ source: { id, name, state }, close }: { source: Source; close: () => void }) {
  const { run, busy, problem } = useChange('PATCH /v1/sources/{id}');
  const isActive = state === 'active';
  return (
    <Confirm
      title={`${isActive ? 'Disable' : 'Enable'} source “${name}”`}
      button={isActive ? 'Disable source' : 'Enable source'}
      danger={isActive}
      act={() => run({ params: { id }, body: { state: isActive ? 'disabled' : 'active' } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>
        {isActive
          ? 'New events from this source are refused. Recorded events stay. You can enable it again.'
          : 'Events from this source are accepted again.'}
      </p>
    </Confirm>
  );
}
