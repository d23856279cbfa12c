import { useState } from 'preact/hooks';
import type { DataOf } from '#api/client/call.ts';
import type { Member } from '#shared/people/members.ts';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { OnlyManagers } from '#api/dashboard/browser/parts/only_managers.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { AddMember, ChangeRole, RemoveMember } from './member_dialogs.tsx';

type Row = DataOf<'GET /v1/members'>['data'][number];
type Asked = { act: 'add' } | { act: 'role' | 'remove'; member: Member };

/** Who belongs to the organization, and as what. */
export const Members = () => (
  <OnlyManagers title="Members" says="Only admins and owners can see members.">
    <MemberList />
  </OnlyManagers>
);

function MemberList() {
  const { me } = useSession();
  const list = useRows('GET /v1/members');
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => {
    setAsked(null);
    list.showFresh();
  };
  const columns: Column<Row>[] = [
    {
      name: 'Member',
      show: ({ id, name, email }) => (
        <>
          {name ?? email} {id === me.user.id && <span class="quiet">(you)</span>}
          {name && <small class="quiet under">{email}</small>}
        </>
      ),
    },
    { name: 'Role', show: ({ role }) => role && wordsOf(role) },
    {
      name: 'Second factor',
      show: ({ second_factor }) => (second_factor ? 'Set up' : <span class="quiet">Not set up</span>),
      from: 'middle',
    },
    { name: 'Added', show: ({ created_at }) => created_at && <Time at={created_at} ago />, from: 'middle' },
    {
      name: 'Added by',
      show: ({ created_by }) => created_by !== undefined && <ActorName id={created_by} />,
      from: 'wide',
    },
    {
      name: 'Actions',
      unnamed: true,
      align: 'end',
      show: row => {
        const member = row as Member;
        return (
          <div class="row-actions">
            <button
              type="button"
              class="plain"
              aria-label={`Change role of ${member.email}`}
              onClick={() => setAsked({ act: 'role', member })}
            >
              Change role
            </button>
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${member.email}`}
              onClick={() => setAsked({ act: 'remove', member })}
            >
              Remove
            </button>
          </div>
        );
      },
    },
  ];
  return (
    <Page
      title="Members"
      actions={
        <button type="button" class="main" onClick={() => setAsked({ act: 'add' })}>
          Invite member
        </button>
      }
    >
      <List caption="Members, newest first" list={list} columns={columns} empty={<Empty title="No members yet" />} />
      {asked?.act === 'add' && <AddMember close={close} />}
      {asked?.act === 'role' && <ChangeRole member={asked.member} close={close} />}
      {asked?.act === 'remove' && <RemoveMember member={asked.member} close={close} />}
    </Page>
  );
}
