import { useState } from 'preact/hooks';
import type { Role } from '#shared/interface/roles.ts';
import type { Member } from '#shared/people/members.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

const roles = [
  ['developer', 'Developer'],
  ['admin', 'Admin'],
  ['owner', 'Owner'],
] as const;

const hints: Record<Role, string> = {
  developer:
    'Views everything; works on alerts, cases, screenings, and packs. Changes keys, mandates, sources, and detectors in the sandbox only.',
  admin: 'Everything developers can do, in production too. Manages members, trusted keys, and the audit log.',
  owner: 'Everything admins can do. Adds and removes owners.',
};

/** Adds somebody by their e-mail address. */
export function AddMember({ close }: { close: () => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const { run, busy, problem } = useChange('POST /v1/members');
  const send = async () => {
    const newMember = { email: email.trim(), role, ...(name.trim() && { name: name.trim() }) };
    if (await run({ body: newMember })) close();
  };
  return (
    <Dialog title="Invite member" close={close}>
      <Form send={send} busy={busy} problem={problem} button="Send invite" cancel={close}>
        <p>We’ll email them where to sign in. They use this email address.</p>
        <TextField
          label="Email address"
          type="email"
          value={email}
          set={setEmail}
          required
          autoFocus
          autoComplete="off"
          maxLength={254}
          problem={problem?.at('/email') && 'Enter a valid email address.'}
        />
        <TextField
          label="Name (optional)"
          value={name}
          set={setName}
          autoComplete="off"
          maxLength={200}
          problem={problem?.at('/name')}
        />
        <RoleChoice role={role} set={setRole} problem={problem?.at('/role')} />
      </Form>
    </Dialog>
  );
}

/** Gives a member another role. */
export function ChangeRole({ member, close }: { member: Member; close: () => void }) {
  const { me } = useSession();
  const [role, setRole] = useState<Role>(member.role);
  const { run, busy, problem } = useChange('PATCH /v1/members/{user_id}');
  return (
    <Confirm
      title={`Change role of ${member.name ?? member.email}`}
      button="Change role"
      act={() => run({ params: { user_id: member.id }, body: { role } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      {member.id === me.user.id && <p class="note">This is your own role. You may not be able to change it back.</p>}
      <RoleChoice role={role} set={setRole} problem={problem?.at('/role')} />
    </Confirm>
  );
}

/** Sends the mail to a member who has not signed in yet once more. */
export function ResendInvitation({ member, close }: { member: Member; close: () => void }) {
  const { run, busy, problem } = useChange('POST /v1/members/{user_id}/invitation');
  return (
    <Confirm
      title={`Resend invitation to ${member.name ?? member.email}`}
      button="Resend invitation"
      act={() => run({ params: { user_id: member.id } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>We’ll email {member.email} again where to sign in.</p>
    </Confirm>
  );
}

/** Removes a member, or withdraws the invitation of one who has not signed in yet. */
export function RemoveMember({ member, close }: { member: Member; close: () => void }) {
  const { me } = useSession();
  const { run, busy, problem } = useChange('DELETE /v1/members/{user_id}');
  const isMe = member.id === me.user.id;
  const isPending = member.last_seen_at === null;
  const name = member.name ?? member.email;
  return (
    <Confirm
      title={isMe ? 'Leave organization' : isPending ? `Withdraw invitation to ${name}` : `Remove ${name}`}
      button={isMe ? 'Leave organization' : isPending ? 'Withdraw invitation' : 'Remove member'}
      danger
      act={() => run({ params: { user_id: member.id } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      {isPending ? (
        <p>They can no longer sign in to this organization.</p>
      ) : (
        <p>
          {isMe ? 'Your sessions here end' : 'Their sessions here end'} immediately. Their history stays on record. API
          keys they created keep working until you revoke them.
        </p>
      )}
    </Confirm>
  );
}

const RoleChoice = ({ role, set, problem }: { role: Role; set: (role: Role) => void; problem: string | undefined }) => (
  <Choice label="Role" value={role} set={value => set(value as Role)} of={roles} hint={hints[role]} problem={problem} />
);
