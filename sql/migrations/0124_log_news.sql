-- Logs in which something is to be analyzed or signed are found by an index, and not by a look at all of them. An event sets the mark, whatever
-- version stored it; only the first after a rest writes to the index.
alter table event_logs add column has_news boolean not null default true;
comment on column event_logs.has_news is 'Whether it may have events that are not analyzed yet, or that no checkpoint covers. Set by every event, unset when there has been none for a while.';
create index event_logs_with_news on event_logs (org_id, environment) where has_news;
grant update (has_news) on event_logs to oversight_service;

create function note_news() returns trigger language plpgsql as $$
begin
  new.has_news := true;
  return new;
end
$$;
create trigger note_news before update of size on event_logs for each row when (not old.has_news) execute function note_news();
