import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { hasShortcuts } from '#api/dashboard/browser/parts/keys.ts';
import { KeyList } from '#api/dashboard/browser/parts/use_list_keys.tsx';
import { alertActions } from './alert_action_names.ts';

/** Which keys do what in a queue, behind a button; `of`: what is in it. */
export const QueueKeys = ({ of, shown, show }: { of: string; shown: boolean; show: (on: boolean) => void }) => (
  <>
    <button type="button" class="plain from-middle" onClick={() => show(true)}>
      Shortcuts <kbd>?</kbd>
    </button>
    {shown && (
      <Dialog title="Keyboard shortcuts" close={() => show(false)}>
        {!hasShortcuts() && (
          <p class="note">
            Keyboard shortcuts are off. Turn them on in <a href="/account">your account</a>.
          </p>
        )}
        <KeyList of={keysOf(of)} />
        <p class="quiet">
          In a dialog: <kbd>Ctrl</kbd> <kbd>Enter</kbd> submits, <kbd>Esc</kbd> closes.
        </p>
      </Dialog>
    )}
  </>
);

const keysOf = (of: string): [key: string, what: string][] => [
  ['j ↓', `Next ${of}`],
  ['k ↑', `Previous ${of}`],
  ['o Enter', 'Open'],
  ['x', `Select; ${of === 'incident' ? 'a, e, r, d, s, i and t' : 'a, e, r and d'} then apply to the whole selection`],
  ...alertActions.flatMap(({ key, label }): [string, string][] => (key ? [[key, label]] : [])),
  ...(of === 'incident' ? incidentKeys : []),
  ['u', 'Undo'],
  ['?', 'Show keyboard shortcuts'],
];

const incidentKeys: [key: string, what: string][] = [
  ['s', 'Snooze'],
  ['i', 'Assign to me'],
  ['t', 'Assign to someone'],
];
