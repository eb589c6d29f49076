import { Monitor, Moon, Sun } from 'lucide-react'
import { Card } from '../../design/card.tsx'
import { classes } from '../../design/classes.ts'
import { type ThemeChoice, useTheme } from '../../design/theme.ts'

const THEMES: readonly { choice: ThemeChoice; label: string; icon: typeof Sun }[] = [
  { choice: 'system', label: 'As the system', icon: Monitor },
  { choice: 'light', label: 'Light', icon: Sun },
  { choice: 'dark', label: 'Dark', icon: Moon },
]

export function LooksCard() {
  const [theme, setTheme] = useTheme()
  return (
    <Card title="Looks">
      <fieldset className="grid grid-cols-3 gap-2 p-3">
        <legend className="sr-only">Theme, kept in this browser</legend>
        {THEMES.map(({ choice, label, icon: Icon }) => (
          <label
            key={choice}
            className={classes(
              'flex cursor-pointer flex-col items-center gap-1 rounded-base border px-2 py-2.5 text-center text-small',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent',
              theme === choice ? 'border-accent bg-selected' : 'border-line hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name="theme"
              className="sr-only"
              checked={theme === choice}
              onChange={() => setTheme(choice)}
            />
            <Icon size={16} className={theme === choice ? 'text-accent' : 'text-faint'} aria-hidden />
            {label}
          </label>
        ))}
      </fieldset>
    </Card>
  )
}
