import { useState } from 'preact/hooks';
import type { DataOf } from '#api/client/call.ts';
import type { Member } from '#shared/people/members.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { OnlyManagers } from '#api/dashboard/browser/parts/only_managers.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { MOST_ON_PAGE, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { AddMember, ChangeRole, RemoveMember, ResendInvitation } from './member_dialogs.tsx';

type Row = DataOf<'GET /v1/members'>['data'][number];
type Asked = { act: 'add' } | { act: 'role' | 'remove' | 'resend'; member: Member };

/** Who belongs to the organization, and as what. */
export const Members = () => (
  <OnlyManagers title="Members" says="Only admins and owners can see members.">
    <MemberList />
  </OnlyManagers>
);

function MemberList() {
  const { me } = useSession();
  const list = useRows('GET /v1/members', [], { limit: MOST_ON_PAGE });
  const [dialog, setDialog] = useState<Asked | null>(null);
  const close = () => {
    setDialog(null);
    list.showFresh();
  };
  const columns: Column<Row>[] = [
    {
      name: 'Member',
      value: ({ name, email }) => name ?? email,
      show: ({ id, name, email, role }) => (
        <>
          {name ?? email} {id === me.user.id && <span class="quiet">(you)</span>}
          {name && <small class="quiet under">{email}</small>}
          {role && <small class="only-narrow quiet">{wordsOf(role)}</small>}
        </>
      ),
    },
    { name: 'Role', value: ({ role }) => role ?? null, show: ({ role }) => role && wordsOf(role), from: 'middle' },
    {
      name: 'Last seen',
      value: ({ last_seen_at }) => last_seen_at ?? null,
      show: ({ last_seen_at }) =>
        last_seen_at ? <Time at={last_seen_at} ago /> : <Badge of="pending" label="Invited" />,
    },
    {
      name: 'Second factor',
      value: ({ second_factor }) => Number(second_factor),
      show: ({ second_factor }) => (second_factor ? 'Set up' : <span class="quiet">Not set up</span>),
      from: 'middle',
    },
    {
      name: 'Added',
      value: ({ created_at }) => created_at ?? null,
      show: ({ created_at }) => created_at && <Time at={created_at} ago />,
      from: 'wide',
    },
    {
      name: 'Added by',
      show: ({ created_by }) => created_by !== undefined && <ActorName id={created_by} />,
      from: 'wide',
    },
    {
      name: 'Actions',
      unnamed: true,
      align: 'end',
      show: row => <Actions member={row as Member} onlyOwner={row.only_owner === true} ask={setDialog} />,
    },
  ];
  return (
    <Page
      title="Members"
      actions={
        <button type="button" class="main" onClick={() => setDialog({ act: 'add' })}>
          Invite member
        </button>
      }
    >
      <List caption="Members" list={list} columns={columns} empty={<Empty title="No members yet" />} />
      {dialog?.act === 'add' && <AddMember close={close} />}
      {dialog?.act === 'role' && <ChangeRole member={dialog.member} close={close} />}
      {dialog?.act === 'resend' && <ResendInvitation member={dialog.member} close={close} />}
      {dialog?.act === 'remove' && <RemoveMember member={dialog.member} close={close} />}
    </Page>
  );
}

/**
 * What can be done with a member: an invitation that is pending is sent again or withdrawn. Only owners change owners, and nobody the only
 * one.
 */
function Actions({ member, onlyOwner, ask }: { member: Member; onlyOwner: boolean; ask: (asked: Asked) => void }) {
  const { me } = useSession();
  if (member.role === 'owner' && me.role !== 'owner') return null;
  if (onlyOwner) return <small class="quiet">Only owner</small>;
  const isPending = member.last_seen_at === null;
  const actions = [
    isPending
      ? ({ act: 'resend', label: 'Resend', about: 'Resend invitation to' } as const)
      : ({ act: 'role', label: 'Change role', about: 'Change role of' } as const),
    {
      act: 'remove',
      label: isPending ? 'Withdraw' : 'Remove',
      about: isPending ? 'Withdraw invitation to' : 'Remove',
    } as const,
  ];
  return (
    <div class="row-actions">
      {actions.map(({ act, label, about }) => (
        <button
          key={act}
          type="button"
          class="plain"
          aria-label={`${about} ${member.email}`}
          onClick={() => ask({ act, member })}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
