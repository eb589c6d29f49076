/** Browsers claim to be each other: the first of these that is named is the one. */
const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\//, 'Headless Chrome'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

const named = (table: readonly [RegExp, string][], text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1]

/** "Firefox on Linux"; what is not known is shown as it was sent, cut short. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return 'Unknown'
  const browser = named(BROWSERS, userAgent)
  const system = named(SYSTEMS, userAgent)
  if (!browser) return userAgent.slice(0, 40)
  return system ? `${browser} on ${system}` : browser
}
