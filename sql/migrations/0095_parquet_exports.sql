-- Exports, also by the hour, as Parquet.

alter table exports
  drop constraint exports_format_check,
  add constraint exports_format_check check (format in ('ndjson', 'csv', 'parquet'));

alter table export_schedules
  drop constraint export_schedules_format_check,
  add constraint export_schedules_format_check check (format in ('ndjson', 'csv', 'parquet'));
