-- What agents did by the hour and by the day, in rows a third as long: most agents pay now and then, so there is a row of each an event.
create table hours_of_agents (
  agent bigint not null,
  hour timestamptz(3) not null,
  payments integer not null,
  busiest_minute integer not null,
  spend_usd_micro numeric(90, 0) not null,
  primary key (agent, hour)
) with (fillfactor = 80);
comment on table hours_of_agents is 'What an agent did in one hour: the baseline that its later hours are compared with.';
comment on column hours_of_agents.agent is 'The agent (agents.number).';
comment on column hours_of_agents.hour is 'The beginning of the hour (UTC).';
comment on column hours_of_agents.payments is 'How many payments began in it.';
comment on column hours_of_agents.busiest_minute is 'The most payments that began within one of its minutes.';
comment on column hours_of_agents.spend_usd_micro is 'What was paid in it, in millionths of a US dollar.';
grant select, insert, update, delete on hours_of_agents to oversight_service;

create table days_of_agents (
  agent bigint not null,
  payee bigint not null,
  day date not null,
  events integer not null,
  payments integer not null,
  rail text not null,
  spend_usd_micro numeric(90, 0) not null,
  primary key (agent, day, payee, rail)
) with (fillfactor = 80);
comment on table days_of_agents is 'What an agent did in one day, by rail and payee. A payment counts under those of its latest event.';
comment on column days_of_agents.agent is 'The agent (agents.number).';
comment on column days_of_agents.payee is 'The payee (payees.number).';
comment on column days_of_agents.day is 'The day (UTC).';
comment on column days_of_agents.events is 'How many events occurred.';
comment on column days_of_agents.payments is 'How many payments began.';
comment on column days_of_agents.rail is 'The rail.';
comment on column days_of_agents.spend_usd_micro is 'What was paid, in millionths of a US dollar.';
grant select, insert, update, delete on days_of_agents to oversight_service;

-- A version that does not know of these tables may still write the old ones during an upgrade: what it adds is added here too.
lock table agent_hours, agent_days in share row exclusive mode;
create function note_hours_of_agents() returns trigger language plpgsql as $$
begin
  insert into hours_of_agents as h (agent, hour, payments, busiest_minute, spend_usd_micro)
  select a.number, new.hour, new.payments - coalesce(old.payments, 0), new.busiest_minute, new.spend_usd_micro - coalesce(old.spend_usd_micro, 0)
  from agents a where a.org_id = new.org_id and a.environment = new.environment and a.id = new.agent_id
  on conflict (agent, hour) do update set payments = h.payments + excluded.payments,
    busiest_minute = greatest(h.busiest_minute, excluded.busiest_minute), spend_usd_micro = h.spend_usd_micro + excluded.spend_usd_micro;
  return null;
end
$$;
create trigger note_hours_of_agents after insert or update on agent_hours for each row execute function note_hours_of_agents();
create function note_days_of_agents() returns trigger language plpgsql as $$
begin
  insert into days_of_agents as d (agent, payee, day, events, payments, rail, spend_usd_micro)
  select a.number, p.number, new.day, new.events - coalesce(old.events, 0), new.payments - coalesce(old.payments, 0), new.rail,
    new.spend_usd_micro - coalesce(old.spend_usd_micro, 0)
  from agents a join payees p on p.org_id = a.org_id and p.environment = a.environment and p.id = new.payee_id
  where a.org_id = new.org_id and a.environment = new.environment and a.id = new.agent_id
  on conflict (agent, day, payee, rail) do update set events = d.events + excluded.events, payments = d.payments + excluded.payments,
    spend_usd_micro = d.spend_usd_micro + excluded.spend_usd_micro;
  return null;
end
$$;
create trigger note_days_of_agents after insert or update on agent_days for each row execute function note_days_of_agents();
comment on table agent_hours is 'Written by the versions before hours_of_agents alone, which it has gone over to.';
comment on table agent_days is 'Written by the versions before days_of_agents alone, which it has gone over to.';

insert into hours_of_agents (agent, hour, payments, busiest_minute, spend_usd_micro)
select a.number, h.hour, h.payments, h.busiest_minute, h.spend_usd_micro
from agent_hours h join agents a on a.org_id = h.org_id and a.environment = h.environment and a.id = h.agent_id;
insert into days_of_agents (agent, payee, day, events, payments, rail, spend_usd_micro)
select a.number, p.number, d.day, d.events, d.payments, d.rail, d.spend_usd_micro
from agent_days d
join agents a on a.org_id = d.org_id and a.environment = d.environment and a.id = d.agent_id
join payees p on p.org_id = d.org_id and p.environment = d.environment and p.id = d.payee_id;
