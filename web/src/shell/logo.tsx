export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden className="shrink-0 text-accent">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path
        d="M6 11c3.300 -3.600 6.700 -3.600 10 0s6.700 3.600 10 0M6 17c3.300 -3.600 6.700 -3.600 10 0s6.700 3.600 10 0M6 23c3.300 -3.600 6.700 -3.600 10 0"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="2.600"
        strokeLinecap="round"
      />
    </svg>
  )
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2 text-large font-semibold tracking-tight">
      <Mark />
      Millrace
    </span>
  )
}
