/** The settings of an alert as a form holds them, and back. */
import type { AlertRecord, AlertSettings } from '../../api/records.ts'

export type Operator = Extract<AlertSettings['condition'], { type: 'value' }>['operator']

export type Draft = Pick<
  AlertSettings,
  'name' | 'query' | 'language' | 'backend_id' | 'cron' | 'timezone' | 'notify_resolved' | 'enabled' | 'backend_ids'
> & {
  description: string
  condition: 'rows' | 'value'
  column: string
  operator: Operator
  threshold: string
  repeat: 'always' | 'once' | 'minutes'
  repeat_minutes: string
  webhook_notification_url: string
  slack_hook_url: string
  /** Separated by commas, spaces or line breaks. */
  emails: string
}

export function draftOf(alert: AlertRecord | null, query: string): Draft {
  const condition = alert?.condition ?? { type: 'rows' }
  const value = condition.type === 'value' ? condition : null
  const repeatMinutes = alert ? alert.repeat_minutes : 60
  return {
    name: alert?.name ?? '',
    description: alert?.description ?? '',
    query: alert?.query ?? query,
    language: alert?.language ?? 'bq_sql',
    backend_id: alert?.backend_id ?? null,
    cron: alert?.cron ?? '*/5 * * * *',
    timezone: alert?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    condition: condition.type,
    column: value?.column ?? '',
    operator: value?.operator ?? '>',
    threshold: value ? String(value.threshold) : '0',
    repeat: repeatMinutes === null ? 'once' : repeatMinutes === 0 ? 'always' : 'minutes',
    repeat_minutes: String(repeatMinutes || 60),
    notify_resolved: alert?.notify_resolved ?? false,
    enabled: alert?.enabled ?? true,
    webhook_notification_url: alert?.webhook_notification_url ?? '',
    slack_hook_url: alert?.slack_hook_url ?? '',
    emails: alert?.emails.join(', ') ?? '',
    backend_ids: alert?.backend_ids ?? [],
  }
}

export function settingsOf(draft: Draft): Partial<AlertSettings> {
  const { name, description, query, language, backend_id, cron, timezone, notify_resolved, enabled, backend_ids } =
    draft
  return {
    ...{ name, description, query, language, backend_id, cron, timezone, notify_resolved, enabled, backend_ids },
    condition:
      draft.condition === 'rows'
        ? { type: 'rows' }
        : { type: 'value', column: draft.column, operator: draft.operator, threshold: Number(draft.threshold) },
    repeat_minutes: draft.repeat === 'once' ? null : draft.repeat === 'always' ? 0 : Number(draft.repeat_minutes),
    webhook_notification_url: draft.webhook_notification_url,
    slack_hook_url: draft.slack_hook_url,
    emails: draft.emails.split(/[\s,;]+/).filter(Boolean),
  }
}
