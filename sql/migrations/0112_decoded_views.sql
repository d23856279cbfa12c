-- A saved view whose address decodes to what has to be decoded again, and so on, must not hold up an erasure.

-- A part of an address's query, read as a browser does: what is not UTF-8 is a sign that stands for nothing.
create or replace function url_decoded(encoded text) returns text language sql immutable strict set search_path = public, pg_temp as $$
  select coalesce(convert_from(string_agg(
    case when m[1] is not null then decode(replace(m[1], '%', ''), 'hex')
      else convert_to(case when m[2] is not null then U&'\FFFD' else replace(m[3], '+', ' ') end, 'UTF8') end, ''::bytea order by n), 'UTF8'), '')
  from regexp_matches(encoded, '(%(?:0[1-9A-F]|[1-7][0-9A-F])|%(?:C[2-9A-F]|D[0-9A-F])%[89AB][0-9A-F]|%E0%[AB][0-9A-F]%[89AB][0-9A-F]'
    '|%E[1-9A-CEF](?:%[89AB][0-9A-F]){2}|%ED%[89][0-9A-F]%[89AB][0-9A-F]|%F0%[9AB][0-9A-F](?:%[89AB][0-9A-F]){2}|%F[1-3](?:%[89AB][0-9A-F]){3}'
    '|%F4%8[0-9A-F](?:%[89AB][0-9A-F]){2})|(%[0-9A-F]{2})|(%|[^%]+)', 'gi') with ordinality as t (m, n)
$$;
