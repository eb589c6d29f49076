/** Light or dark: what the system says, unless a person chose; the choice is kept in this browser. */
import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'
const KEY = 'millrace.theme'
const CHANGED = 'millrace:theme'

function readChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

const prefersDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

function apply(): void {
  const choice = readChoice()
  const isDark = choice === 'dark' || (choice === 'system' && prefersDark().matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

function subscribe(listen: () => void): () => void {
  const onChange = (): void => {
    apply()
    listen()
  }
  const system = prefersDark()
  system.addEventListener('change', onChange)
  window.addEventListener(CHANGED, onChange)
  // Another tab changed it.
  window.addEventListener('storage', onChange)
  return () => {
    system.removeEventListener('change', onChange)
    window.removeEventListener(CHANGED, onChange)
    window.removeEventListener('storage', onChange)
  }
}

export function useTheme(): [ThemeChoice, (choice: ThemeChoice) => void] {
  const choice = useSyncExternalStore(subscribe, readChoice)
  return [
    choice,
    (next) => {
      if (next === 'system') localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, next)
      window.dispatchEvent(new Event(CHANGED))
    },
  ]
}
