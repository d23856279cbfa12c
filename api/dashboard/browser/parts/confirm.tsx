import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { Dialog } from './dialog.tsx';
import { Form, TextField } from './form.tsx';

/**
 * Asks before something is done. With `reason`, for words too: they must be given where it is `needed`. `act` answers null where it
 * was refused, and the dialog stays with the `problem`.
 */
export function Confirm({
  title,
  button,
  danger = false,
  reason,
  act,
  busy,
  problem,
  close,
  children,
}: {
  title: string;
  button: string;
  danger?: boolean;
  reason?: { label: string; needed: boolean };
  act: (reason: string) => Promise<unknown>;
  busy: boolean;
  problem: Problem | null;
  close: () => void;
  children?: ComponentChildren;
}) {
  const [text, setText] = useState('');
  const send = async () => {
    if ((await act(text.trim())) !== null) close();
  };
  return (
    <Dialog title={title} close={close}>
      <Form send={send} busy={busy} problem={problem} button={button} danger={danger} cancel={close}>
        {children}
        {reason && (
          <TextField
            label={reason.label}
            value={text}
            set={setText}
            lines={3}
            required={reason.needed}
            maxLength={2_000}
            autoFocus
          />
        )}
      </Form>
    </Dialog>
  );
}
