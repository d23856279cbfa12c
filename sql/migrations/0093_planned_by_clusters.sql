-- What takes from the log and from records runs on a cluster too, where each of these functions is called on the node that has the organization:
-- they return one value, name the organization by value in each statement, and read no table within the statement of another.

create function is_emptied(was text, input jsonb, agent text, owner text, payee text, signed boolean,
  resource_key bytea, tool_key bytea, tool_call_key bytea, domain_key bytea, payee_name_key bytea)
returns boolean language sql stable set search_path = public, pg_temp as $$
  select (was::jsonb - 'erased') @> (
      case when input #>> '{payment,payee,key}' = 'erased:' || payee then input #- '{payment,payee,key}' else input end
      - array['erased', 'agent_id', 'owner_id'])
    and coalesce(input ->> 'agent_id' = agent, true) and coalesce(input ->> 'owner_id' = owner, true)
    and input -> 'erased' = jsonb_strip_nulls(jsonb_build_object('signed', signed, 'columns', jsonb_build_object(
      'resource_key', encode(resource_key, 'hex'), 'tool_key', encode(tool_key, 'hex'), 'tool_call_key', encode(tool_call_key, 'hex'),
      'domain_key', encode(domain_key, 'hex'),
      'payee_name_key', case when input #>> '{payment,payee,key}' <> 'erased:' || payee then encode(payee_name_key, 'hex') end)))
$$;

create or replace function erase_events(of_org text, of_environment text, of_erasure text, seqs bigint[], inputs text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare emptied bigint;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  update events e set input = n.input,
    payee_name_key = case when n.input::jsonb #>> '{payment,payee,key}' <> 'erased:' || e.payee_id then e.payee_name_key end
  from unnest(seqs, inputs) as n (chain_seq, input)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = n.chain_seq and is_emptied(
      e.input, n.input::jsonb, e.agent_id, e.owner_id, e.payee_id, e.signed,
      e.resource_key, e.tool_key, e.tool_call_key, e.domain_key, e.payee_name_key)
    and exists (
      select from erased_events x where x.org_id = of_org and x.environment = of_environment and x.chain_seq = e.chain_seq
        and x.erasure_id = of_erasure);
  get diagnostics emptied = row_count;
  if emptied <> cardinality(seqs) then
    raise exception 'an event would say what it did not say before, or was not stated to be erased' using errcode = '55000';
  end if;
  update evidence v set value = null, label = null from events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = any(seqs)
    and v.org_id = of_org and v.environment = of_environment and v.event_id = e.id;
  delete from signed_inputs s using events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = any(seqs)
    and s.org_id = of_org and s.environment = of_environment and s.event_id = e.id;
  update verification_runs r set checks = (
    select coalesce(jsonb_agg(c - 'detail' order by n), '[]') from jsonb_array_elements(r.checks) with ordinality as t (c, n))
  where r.org_id = of_org and r.environment = of_environment and r.chain_seq = any(seqs);
  update mandate_evaluations m set constraints = (
    select coalesce(jsonb_agg(
      case when c ->> 'type' ~ '^payment\.(amount_range|budget|agent_recurrence|velocity|(allowed|blocked)_(categories|countries)|allowed_(rails|currencies|networks|assets)|execution_date|time_of_day|approval_required)$'
      then c else c || '{"observed": null, "limit": null}' end order by n), '[]')
    from jsonb_array_elements(m.constraints::jsonb) with ordinality as t (c, n))::text
  where m.org_id = of_org and m.environment = of_environment and m.chain_seq = any(seqs);
end
$$;
drop function is_emptied(events, jsonb);

create or replace function erased_pattern(of_org text, of_environment text, of_erasure text, after_word text, out everywhere text, out linked text, out last text)
language plpgsql stable set search_path = public, pg_temp as $$
begin
  with next as (
    select w.word_hash, w.word, w.everywhere from erasure_words w
    where w.org_id = of_org and w.environment = of_environment and w.erasure_id = of_erasure and w.word_hash > decode(after_word, 'hex')
    order by w.word_hash limit 200),
  part as (select s.*, sum(length(s.word)) over (order by s.word_hash) - length(s.word) as before from next s)
  select words_pattern(array_agg(p.word) filter (where p.everywhere)), words_pattern(array_agg(p.word) filter (where not p.everywhere)),
    max(encode(p.word_hash, 'hex'))
  into everywhere, linked, last
  from part p where p.before < 8000;
end
$$;

-- Takes words of an erasure out of the next rows of a table. Returns the last row that was looked at, null where there was none.
create function erase_next_words(of_org text, of_environment text, of_erasure text, of_table text, after_word text, after text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  of_event text := 'exists (select from events e join erased_events x on x.org_id = $1 and x.environment = $2 and x.chain_seq = e.chain_seq
    where e.org_id = $1 and e.environment = $2 and e.id = %1$s and x.erasure_id = $6)';
  of_alert text := 'exists (select from alert_events n join erased_events x on x.org_id = $1 and x.environment = $2 and x.chain_seq = n.chain_seq
    where n.org_id = $1 and n.environment = $2 and n.alert_id = %1$s and x.erasure_id = $6)';
  of_case text := 'exists (select from case_links k where k.org_id = $1 and k.environment = $2 and k.case_id = %1$s
      and (k.kind = ''event'' and ' || format(of_event, 'k.target_id') || ' or k.kind = ''alert'' and ' || format(of_alert, 'k.target_id') || '))
    or exists (select from alerts a where a.org_id = $1 and a.environment = $2 and a.case_id = %1$s and ' || format(of_alert, 'a.id') || ')';
  subject text;
  patterns record;
  place record;
  pattern text;
  last text;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  select s.subject_id into subject from erasures s
  where s.org_id = of_org and s.environment = of_environment and s.id = of_erasure;
  select p.everywhere, p.linked into patterns from erased_pattern(of_org, of_environment, of_erasure, after_word) p;
  select p.key, p.linked, array(select format('%1$I = without_words(%1$I, $5)', c) from unnest(p.texts) c)
      || array(select format('%1$I = without_words_in(%1$I, $5, false)', c) from unnest(p.jsons) c) as sets,
    array(select format('%I ~* $5', c) from unnest(p.texts) c) || array(select format('%I::text ~* $5', c) from unnest(p.jsons) c) as finds
  into place from (values
    ('alerts', 'id', '{title,explanation}'::text[], '{}'::text[], format(of_alert, 't.id')),
    ('alert_actions', 'alert_id', '{reason}', '{}', format(of_alert, 't.alert_id')),
    ('incidents', 'id', '{lead_title}', '{}', 'exists (
      select from alerts a where a.org_id = $1 and a.environment = $2 and a.incident_id = t.id and ' || format(of_alert, 'a.id') || ')'),
    ('shadow_findings', 'id', '{title,explanation}', '{}', format(of_event, 't.event_id')),
    ('backtests', 'id', '{}', '{sample}', 'false'),
    ('cases', 'id', '{title,closing_note}', '{}', format(of_case, 't.id')),
    ('case_timeline', 'case_id', '{}', '{detail}', format(of_case, 't.case_id')),
    ('case_holds', 'case_id', '{reason}', '{}', format(of_case, 't.case_id')),
    ('screenings', 'id', '{reason}', '{query,allowed_by}', $w$t.payee_id = $7 or t.query ->> 'name' ~* $5 and t.query ->> 'name' !~ '\s'$w$),
    ('mandates', 'id', '{name}', '{}', '$7 in (t.agent_id, t.owner_id)'),
    ('mandate_versions', 'mandate_id', '{name}', '{}', 'exists (
      select from mandates m where m.org_id = $1 and m.environment = $2 and m.id = t.mandate_id and $7 in (m.agent_id, m.owner_id))'),
    ('packs', 'id', '{title}', '{}', 'exists (
      select from pack_events p join erased_events x on x.org_id = $1 and x.environment = $2
      where p.org_id = $1 and p.environment = $2 and p.pack_id = t.id and x.chain_seq = any(p.chain_seqs) and x.erasure_id = $6)'),
    ('audit_log', 'id', '{}', '{before,after}', 't.target_id = $7 or ' || format(of_alert, 't.target_id') || ' or ' || format(of_case, 't.target_id')),
    ('webhook_attempts', 'delivery_id', '{response,error}', '{}', 'false'),
    ('unread_webhooks', 'source_id', '{notice}', '{problems}', 'false')
  ) as p (name, key, texts, jsons, linked) where p.name = of_table;
  if not found then raise exception 'no words are erased from %', of_table using errcode = '22023'; end if;
  if coalesce(patterns.everywhere, patterns.linked) is null then return null; end if;
  execute format('
    select max(k) from (select %1$I as k from %2$I where org_id = $1 and environment = $2 and %1$I > $3 order by %1$I limit 2000) s', place.key, of_table)
  into last using of_org, of_environment, after;
  if last is null then return null; end if;
  pattern := patterns.everywhere;
  -- How the names of a match agree is told part by part; a webhook without its names no longer has what it was signed over.
  if of_table = 'screenings' then
    delete from screening_matches m using screenings s
    where s.org_id = of_org and s.environment = of_environment and s.id > after and s.id <= last and s.query::text ~* pattern
      and m.org_id = of_org and m.environment = of_environment and m.screening_id = s.id;
  elsif of_table = 'unread_webhooks' then
    update unread_webhooks u set body = null
    where u.org_id = of_org and u.environment = of_environment and u.source_id > after and u.source_id <= last and u.body ~* pattern;
  end if;
  foreach pattern in array array[patterns.everywhere, patterns.linked] loop
    continue when pattern is null;
    execute format('update %1$I t set %2$s where t.org_id = $1 and t.environment = $2 and t.%3$I > $3 and t.%3$I <= $4 and (%4$s) and (%5$s)',
      of_table, array_to_string(place.sets, ', '), place.key, array_to_string(place.finds, ' or '),
      case when pattern = patterns.everywhere then 'true' else place.linked end)
    using of_org, of_environment, after, last, pattern, of_erasure, subject;
  end loop;
  return last;
end
$$;
revoke all on function erase_next_words(text, text, text, text, text, text) from public;
grant execute on function erase_next_words(text, text, text, text, text, text) to oversight_service;

-- As a version before this one calls it.
create or replace function erase_words(of_org text, of_environment text, of_erasure text, of_table text, after_word text, after text, out changed bigint, out last text)
language plpgsql set search_path = public, pg_temp as $$
begin
  last := erase_next_words(of_org, of_environment, of_erasure, of_table, after_word, after);
end
$$;

drop function erases_case(text, text, text, text);
drop function erases_alert(text, text, text, text);
drop function erases_event(text, text, text, text);

create or replace function remove_audit_entries(of_org text, of_environment text, ids text[])
returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare removed bigint;
begin
  with gone as (
    delete from audit_log a
    where a.org_id = of_org and a.environment = of_environment and a.id = any(ids) and is_past_law(of_environment, a.at)
    returning 1)
  select count(*) into removed from gone;
  return removed;
end
$$;

create or replace function remove_screenings(of_org text, of_environment text, ids text[])
returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare removed bigint;
begin
  with gone as (
    delete from screenings s
    where s.org_id = of_org and s.environment = of_environment and s.id = any(ids) and is_past_law(of_environment, s.created_at)
    returning s.id),
  matches as (
    delete from screening_matches m
    where m.org_id = of_org and m.environment = of_environment and m.screening_id in (select id from gone))
  select count(*) into removed from gone;
  return removed;
end
$$;

create or replace function remove_signed_inputs(of_org text, of_environment text, event_ids text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from signed_inputs i
  where i.org_id = of_org and i.environment = of_environment and i.event_id = any(event_ids) and exists (
    select from evidence v
    where v.org_id = of_org and v.environment = of_environment and v.event_id = i.event_id and v.value is null);
end
$$;

create or replace function price_events(of_org text, of_environment text, seqs bigint[], micros numeric[], minors numeric[], rates jsonb[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update events e set amount_usd_micro = p.micro, amount_usd_minor = p.minor, usd_rate = p.rate
  from unnest(seqs, micros, minors, rates) as p (seq, micro, minor, rate)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = p.seq and e.amount_usd_micro is null
    and e.amount_usd_minor is null and p.micro >= 0 and p.minor >= 0 and (e.input::jsonb #>> '{payment,amount,currency}') <> 'USD';
end
$$;

create or replace function remove_archived_events(of_org text, of_environment text)
returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  begun bigint;
  archive log_archives;
begin
  select archived_seq into begun from event_logs where org_id = of_org and environment = of_environment for update;
  select * into archive from log_archives a
  where a.org_id = of_org and a.environment = of_environment and a.to_seq > begun order by a.to_seq limit 1;
  if archive is null then return 0; end if;
  if begun <> archive.from_seq - 1 then
    raise exception 'the archive begins at %, and not after %', archive.from_seq, begun using errcode = '55000';
  end if;
  if not exists (
    select from log_checkpoints c
    where c.org_id = of_org and c.environment = of_environment and c.size = archive.checkpoint_size and c.size >= archive.to_seq
      and c.root_hash = archive.root_hash)
  then raise exception 'the archive up to % is under no checkpoint', archive.to_seq using errcode = '55000'; end if;
  if archive.leaves_digest is distinct from (
    select sha256(string_agg(e.leaf_hash, ''::bytea order by e.chain_seq)) from events e
    where e.org_id = of_org and e.environment = of_environment and e.chain_seq between archive.from_seq and archive.to_seq)
  then raise exception 'the archive up to % holds other events', archive.to_seq using errcode = '55000'; end if;
  if archive.runs <> (
    select count(*) from verification_runs r
    where r.org_id = of_org and r.environment = of_environment and r.chain_seq between archive.from_seq and archive.to_seq)
    or archive.evaluations <> (
    select count(*) from mandate_evaluations m
    where m.org_id = of_org and m.environment = of_environment and m.chain_seq between archive.from_seq and archive.to_seq)
    or archive.evidence_values <> (
    select count(v.value) from events e
    join evidence v on v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id
    where e.org_id = of_org and e.environment = of_environment and e.chain_seq between archive.from_seq and archive.to_seq)
    or archive.erasures <> (
    select count(*) from erased_events x
    where x.org_id = of_org and x.environment = of_environment and x.chain_seq between archive.from_seq and archive.to_seq)
    or exists (select from erasures r where r.org_id = of_org and r.environment = of_environment and r.state = 'running')
  then raise exception 'events up to % have changed since they were archived', archive.to_seq using errcode = '55000'; end if;
  if archive.to_seq > coalesce((select seq from detection_cursors where org_id = of_org and environment = of_environment), 0)
    or not is_past_law(of_environment, (
      select received_at from events where org_id = of_org and environment = of_environment and chain_seq = archive.to_seq))
  then raise exception 'events up to % are not to leave the log yet', archive.to_seq using errcode = '55000'; end if;
  insert into archived_events (org_id, environment, chain_seq, id, agent_id, owner_id, payee_id, payment_id, occurred_at, received_at, event_digest)
  select of_org, of_environment, e.chain_seq, e.id, e.agent_id, e.owner_id, e.payee_id, e.payment_id, e.occurred_at, e.received_at,
    e.event_digest from events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq >= archive.from_seq and e.chain_seq <= archive.to_seq;
  delete from evidence v using archived_events a
  where a.org_id = of_org and a.environment = of_environment and a.chain_seq >= archive.from_seq and a.chain_seq <= archive.to_seq
    and v.org_id = of_org and v.environment = of_environment and v.event_id = a.id;
  delete from signed_inputs i using archived_events a
  where a.org_id = of_org and a.environment = of_environment and a.chain_seq >= archive.from_seq and a.chain_seq <= archive.to_seq
    and i.org_id = of_org and i.environment = of_environment and i.event_id = a.id;
  delete from verification_runs where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  delete from mandate_evaluations where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  delete from event_verdicts where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  delete from event_blocks where org_id = of_org and environment = of_environment and (block + 1) * 2048 - 1 <= archive.to_seq;
  delete from events where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  update event_logs set archived_seq = archive.to_seq where org_id = of_org and environment = of_environment;
  return archive.to_seq - begun;
end
$$;
