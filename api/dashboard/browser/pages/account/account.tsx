import { useState } from 'preact/hooks';
import { Tick } from '#api/dashboard/browser/parts/form.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Notifications } from './notifications.tsx';
import { hasShortcuts, setShortcuts } from '#api/dashboard/browser/parts/keys.ts';
import { Facts, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy } from '#api/dashboard/browser/parts/values.tsx';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { SecondFactorSection } from './second_factor.tsx';
import { Sessions } from './sessions.tsx';

/** Who I am here, where I am signed in, and what protects that. */
export function Account() {
  const { me } = useSession();
  const [shortcuts, setShown] = useState(hasShortcuts);
  return (
    <Page title="Account">
      <Facts
        of={[
          ['Name', me.user.name ?? <span class="quiet">Not set</span>],
          ['Email address', me.user.email],
          ['Role', wordsOf(me.role)],
          ['Environment', wordsOf(me.environment)],
          ['ID', <Copy text={me.user.id} />],
        ]}
      />
      <Section title="Second factor">
        <SecondFactorSection />
      </Section>
      <Section title="Active sessions">
        <Sessions />
      </Section>
      <Section title="Organizations">
        <Table
          caption="Your organizations"
          columns={organizations(me.organization.id)}
          rows={me.organizations}
          idOf={({ id }) => id}
        />
      </Section>
      <Notifications />
      <Section title="Keyboard">
        <Tick
          label="Keyboard shortcuts"
          hint="Single-key shortcuts in queues. Turn them off if you use speech input."
          value={shortcuts}
          set={on => {
            setShortcuts(on);
            setShown(on);
          }}
        />
      </Section>
    </Page>
  );
}

type Organization = { id: string; name: string; role: string };

const organizations = (current: string): Column<Organization>[] => [
  {
    name: 'Name',
    show: ({ id, name }) => (
      <>
        {name} {id === current && <span class="quiet">(current)</span>}
      </>
    ),
  },
  { name: 'Role', show: ({ role }) => wordsOf(role) },
  { name: 'ID', show: ({ id }) => <Copy text={id} />, from: 'middle' },
];
