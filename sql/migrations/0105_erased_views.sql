-- A saved view may name somebody who is erased, and so may what the audit log has of it.

alter table erasures add column saved_views integer not null default 0;
comment on column erasures.saved_views is 'How many saved views were deleted, because they name whom it erased.';
grant update (saved_views) on erasures to oversight_service;

-- A part of an address's query, read as a browser does. What is not UTF-8 is left out.
create function url_decoded(encoded text) returns text language plpgsql immutable strict set search_path = public, pg_temp as $$
begin
  return (
    select coalesce(convert_from(string_agg(
      case when part ~ '^%[0-9A-Fa-f]{2}$' then decode(substr(part, 2), 'hex') else convert_to(replace(part, '+', ' '), 'UTF8') end, ''::bytea order by n), 'UTF8'), '')
    from (select m[1] as part, n from regexp_matches(encoded, '%[0-9A-Fa-f]{2}|%|[^%]+', 'g') with ordinality as t (m, n)) p);
exception when character_not_in_repertoire then
  return url_decoded(regexp_replace(encoded, '%(00|[89A-F][0-9A-F])', '', 'gi'));
end
$$;

-- Whether words of a pattern stand in a view. With a subject only where the view is of that subject, or searches for just that.
create function is_named_in_view(view_name text, view_query text, pattern text, of_subject text)
returns boolean language sql immutable set search_path = public, pg_temp as $$
  with p as (
    select split_part(part, '=', 1) as name, url_decoded(substr(part, strpos(part, '=') + 1)) as value from string_to_table(view_query, '&') part)
  select coalesce((view_name ~* pattern or exists (select from p where value ~* pattern)) and (
    of_subject is null or exists (select from p where value = of_subject or name = 'q' and value ~* pattern and btrim(value) !~ '\s')), false)
$$;

-- The same of the filters of an export, by which `erase_next_words` takes the words out of them.
create function is_named_in_filters(filters jsonb, pattern text, of_subject text)
returns boolean language sql immutable set search_path = public, pg_temp as $$
  select coalesce(without_words_in(filters, pattern, false) <> filters and (
    of_subject is null or filters ->> 'q' ~* pattern and btrim(filters ->> 'q') !~ '\s'
    or jsonb_path_exists(filters, '$.* ? (@ == $id)', jsonb_build_object('id', of_subject))), false)
$$;

-- What the audit log has of a view that names somebody, without that.
create function without_view_words(view jsonb, pattern text, of_subject text) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select case when is_named_in_view(view ->> 'name', view ->> 'query', pattern, of_subject)
    then view || jsonb_build_object('name', without_words(view ->> 'name', pattern), 'query', '[erased]') else view end
$$;

-- Takes the next words of an erasure out of what the audit log has of saved views.
create function erase_words_of_views(of_org text, of_environment text, of_erasure text, after_word text)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  subject text;
  patterns record;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  select s.subject_id into subject from erasures s where s.org_id = of_org and s.environment = of_environment and s.id = of_erasure;
  select p.everywhere, p.linked into patterns from erased_pattern(of_org, of_environment, of_erasure, after_word) p;
  update audit_log a set
    before = without_view_words(without_view_words(a.before, patterns.everywhere, null), patterns.linked, subject),
    after = without_view_words(without_view_words(a.after, patterns.everywhere, null), patterns.linked, subject)
  where a.org_id = of_org and a.environment = of_environment and a.action in ('saved_view.created', 'saved_view.deleted');
end
$$;
revoke all on function erase_words_of_views(text, text, text, text) from public;
grant execute on function erase_words_of_views(text, text, text, text) to oversight_service;
