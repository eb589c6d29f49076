import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

const SHOWN_MS = 1500

export function CopyButton({
  text,
  label = 'Copy',
  size = 'small',
}: {
  text: string
  label?: string
  size?: 'small' | 'normal'
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      label={isCopied ? 'Copied' : label}
      size={size}
      onClick={async () => {
        await navigator.clipboard.writeText(text)
        setCopied(true)
      }}
    />
  )
}

type Props = {
  code: string
  /** What it is, in words: its name for screen readers. */
  label: string
  isWrapped?: boolean
  className?: string
}

export function CodeBlock({ code, label, isWrapped = false, className }: Props) {
  return (
    <div className={classes('group relative min-w-0 rounded-base border border-line bg-sunken', className)}>
      {/* biome-ignore lint/a11y/useSemanticElements: a section does not keep the line breaks of code */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-96 overflow-auto p-3 pr-11 font-mono text-small"
      >
        <code className={isWrapped ? 'break-all whitespace-pre-wrap' : ''}>{code}</code>
      </pre>
      <div className="absolute top-1.5 right-1.5 rounded-base bg-sunken">
        <CopyButton text={code} label={`Copy ${label}`} />
      </div>
    </div>
  )
}
