import type { Source } from '#shared/keys/sources.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

/** Disables a source, or enables it again. */
export function DisableSource({ source: { id, name, state }, close }: { source: Source; close: () => void }) {
  const { run, busy, problem } = useChange('PATCH /v1/sources/{id}');
  const isActive = state === 'active';
  return (
    <Confirm
      title={`${isActive ? 'Disable' : 'Enable'} ${name}`}
      button={isActive ? 'Disable' : 'Enable'}
      danger={isActive}
      act={() => run({ params: { id }, body: { state: isActive ? 'disabled' : 'active' } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>
        {isActive
          ? 'Events that name it are refused from then on. Those that are there stay. It can be enabled again.'
          : 'Events that name it are accepted again.'}
      </p>
    </Confirm>
  );
}
