import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { hasShortcuts } from '#api/dashboard/browser/parts/keys.ts';
import { alertActions } from './alert_action_names.ts';

/** Which keys do what in a queue, behind a button; `of`: what is in it, `selects`: several can be selected. */
export const QueueKeys = ({
  of,
  selects = false,
  shown,
  show,
}: {
  of: string;
  selects?: boolean;
  shown: boolean;
  show: (on: boolean) => void;
}) => (
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
          {keysOf(of, selects).map(([key, what]) => (
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

const keysOf = (of: string, selects: boolean): [key: string, what: string][] => [
  ['j ↓', `Next ${of}`],
  ['k ↑', `Previous ${of}`],
  ['o Enter', 'Open it'],
  ...(selects ? [['x', 'Select it; a, r and d then act on all that are selected'] as [string, string]] : []),
  ...alertActions.flatMap(({ key, label }): [string, string][] => (key ? [[key, label]] : [])),
  ['?', 'These keys'],
];
