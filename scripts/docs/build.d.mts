export type Page = {
  /** In the repository. */
  path: string
  /** In the site. */
  place: string
  html: string
  title: string
  /** In the contents. */
  name: string
  headings: { text: string; id: string; depth: number }[]
  links: { page: string; anchor: string | null }[]
}

export function readSite(from?: string): { title: string; pages: Page[] }[]
export function buildSite(out?: string, from?: string): number
