/**
 * The web interface as people use it: the built service on a port of its own, a fresh data folder, and real Chromium.
 * Pages keep what the browser complained of (errors, refusals of the content policy), so that a test can ask for none.
 */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { type Service, startService } from '../../support/service.ts'

const PROGRAMS = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const program = PROGRAMS.find((path) => path !== '' && existsSync(path))

/** Without it the tests in the browser are skipped, and said to be. */
export const hasChromium = program !== undefined

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

/** A browser on a busy machine takes its time; a step that never comes is still told by its name. */
export const PATIENCE = { timeout: 120_000 }
const STEP_MS = 30_000
const START_MS = 45_000

export const OWNER = { email: 'ada@example.com', name: 'Ada', password: 'a long enough password' }

export type Look = {
  theme?: 'light' | 'dark'
  /** Of the window, in pixels. */
  width?: number
  height?: number
}

export type Web = {
  service: Service
  /** A window of its own, with no one logged in. */
  visitor(look?: Look): Promise<WebPage>
  /** A window in which the owner is logged in; the owner is made when there is none. */
  owner(look?: Look): Promise<WebPage>
  stop(): Promise<void>
}

export type WebPage = Page & {
  /** What the browser complained of. */
  complaints: string[]
}

export async function startWeb(): Promise<Web> {
  const service = await startService({ readyWithinMs: START_MS })
  const browser: Browser = await chromium
    .launch({ executablePath: program ?? '', headless: true, args: FLAGS })
    .catch(async (error: unknown) => {
      await service.remove()
      throw error
    })

  async function open({ theme = 'light', width = 1440, height = 900 }: Look = {}): Promise<BrowserContext> {
    return browser.newContext({
      baseURL: service.url,
      colorScheme: theme,
      viewport: { width, height },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
  }

  async function pageOf(context: BrowserContext): Promise<WebPage> {
    const page = Object.assign(await context.newPage(), { complaints: [] as string[] })
    page.setDefaultTimeout(STEP_MS)
    page.on('pageerror', (error) => page.complaints.push(error.message))
    page.on('console', (message) => {
      // A refused request is an answer the page deals with, not a fault of the page.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        page.complaints.push(message.text())
      }
    })
    return page
  }

  return {
    service,
    visitor: async (look) => pageOf(await open(look)),
    async owner(look) {
      const context = await open(look)
      const setup = await context.request.post('/api/setup', { data: OWNER })
      if (!setup.ok()) {
        const { email, password } = OWNER
        const login = await context.request.post('/api/session', { data: { email, password } })
        if (!login.ok()) throw new Error(`the owner cannot log in: ${await login.text()}`)
      }
      return pageOf(context)
    },
    async stop() {
      await browser.close()
      await service.remove()
    },
  }
}
