/** Reads the configurations of programs that are not here, as far as the examples of the guide go. */
import { createRequire } from 'node:module'

/** The text at a path of names in a configuration written in YAML. */
export function yamlAt(config: string, ...path: string[]): string {
  const { parse }: { parse(text: string): unknown } = createRequire(import.meta.url)('yaml')
  return textAt(parse(config), path)
}

/** Fluent Bit's form: one section of names and values, split by white space. */
export const sectionAt = (config: string, name: string): string =>
  found(config, new RegExp(`^\\s+${name}\\s+(.+)$`, 'im'))

/** Fluentd's form is the same, and the sections inside are not looked into. */
export const directiveAt = sectionAt

/** Logstash's form: `name => value`, in quotes, maybe in a list. */
export const settingAt = (config: string, name: string): string =>
  found(config, new RegExp(`^\\s+${name} => \\[?"([^"]+)"\\]?$`, 'm'))

/** syslog-ng's form: `name("value")`. */
export const optionAt = (config: string, name: string): string => found(config, new RegExp(`\\b${name}\\("([^"]+)"\\)`))

/** Alloy's form: `name = "value"`, the value maybe taken from the environment. */
export const attributeAt = (config: string, name: string): string =>
  found(config, new RegExp(`^\\s+${name}\\s+= (?:sys\\.env\\()?"([^"]+)"\\)?$`, 'm'))

/** rsyslog's form: `name="value"`. */
export const parameterAt = (config: string, name: string): string =>
  found(config, new RegExp(`(?<![\\w.])${name}="([^"]+)"`))

function found(config: string, pattern: RegExp): string {
  const value = pattern.exec(config)?.[1]
  if (value === undefined) throw new Error(`the configuration has no ${pattern}:\n${config}`)
  return value.trim()
}

function textAt(config: unknown, path: string[]): string {
  let value = config
  for (const name of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  if (typeof value !== 'string') throw new Error(`the configuration has no text at ${path.join('.')}`)
  return value
}
