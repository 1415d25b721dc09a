/** `pending` and `nudged` are active; `escalated` stays open until a sign of life or a dismissal. */
export const alertStatuses = ['pending', 'nudged', 'self_recovered', 'escalated', 'dismissed'] as const
export type AlertStatus = (typeof alertStatuses)[number]
