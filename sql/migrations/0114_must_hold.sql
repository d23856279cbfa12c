-- An answer is stored by the statement that checks what it was found by: the lists and the threshold may have changed meanwhile.

-- Ends the statement unless this holds.
create function must_hold(holds boolean) returns void language plpgsql set search_path = public, pg_temp as $$
begin
  if holds is not true then raise exception 'what this rests on has changed' using errcode = 'OV001'; end if;
end
$$;
