/** The shape of a check: looks at one thing, says what it found, and how to mend it. */
import type { Settings } from '../../settings.ts'
import type { Api } from '../api.ts'

export type Finding = {
  state: 'ok' | 'warning' | 'problem' | 'skipped'
  text: string
  /** What to do about it. */
  advice?: string
}

export type Patient = {
  env: NodeJS.ProcessEnv
  settings: Settings
  /** The service that belongs to these settings; null when it does not run. */
  service: { url: string; health: Record<string, unknown> } | null
  api: Api
  /** Whether to read every byte of every part. */
  isDeep: boolean
}

export type Check = { name: string; run(patient: Patient): Promise<Finding[]> }

export const ok = (text: string): Finding => ({ state: 'ok', text })
export const warning = (text: string, advice: string): Finding => ({ state: 'warning', text, advice })
export const problem = (text: string, advice: string): Finding => ({ state: 'problem', text, advice })
export const skipped = (text: string): Finding => ({ state: 'skipped', text })
