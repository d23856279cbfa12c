import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { hasShortcuts } from '#api/dashboard/browser/parts/keys.ts';
import { alertActions } from './alert_action_names.ts';

/** Which keys do what in the queue, behind a button. */
export const AlertKeys = ({ shown, show }: { shown: boolean; show: (on: boolean) => void }) => (
  <>
    <button type="button" class="plain from-middle" onClick={() => show(true)}>
      Keys <kbd>?</kbd>
    </button>
    {shown && (
      <Dialog title="Keys of the queue" close={() => show(false)}>
        {!hasShortcuts() && (
          <p class="note">
            Single keys are switched off. Switch them on in <a href="/account">your account</a>.
          </p>
        )}
        <dl class="keys">
          {keys.map(([key, what]) => (
            <div key={key}>
              <dt>
                {key.split(' ').map(one => (
                  <kbd key={one}>{one}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p class="quiet">
          In a dialog: <kbd>Ctrl</kbd> <kbd>Enter</kbd> sends what you wrote, <kbd>Esc</kbd> closes it.
        </p>
      </Dialog>
    )}
  </>
);

const keys: [key: string, what: string][] = [
  ['j ↓', 'Next alert'],
  ['k ↑', 'Alert before'],
  ['o Enter', 'Open it'],
  ['x', 'Select it; a, r and d then act on all that are selected'],
  ...alertActions.flatMap(({ key, label }): [string, string][] => (key ? [[key, label]] : [])),
  ['?', 'These keys'],
];
