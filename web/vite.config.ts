/**
 * Builds the interface into `dist/web`, from where the service serves it. Each asset also gets a packed copy
 * (br and gzip), so that serving one costs no packing.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const outDir = join(root, '../dist/web')

/** Smaller files do not become smaller on the wire. */
const PACK_FROM_BYTES = 1024

function packAssets(): Plugin {
  return {
    name: 'millrace:pack-assets',
    apply: 'build',
    closeBundle() {
      const folder = join(outDir, 'assets')
      for (const name of readdirSync(folder).filter((file) => /\.(?:js|css|svg)$/.test(file))) {
        const bytes = readFileSync(join(folder, name))
        if (bytes.length < PACK_FROM_BYTES) continue
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

/** Every page has a file `page.tsx`; its folder is the better name. */
function chunkName(file: string | null, name: string): string {
  const page = /\/pages\/([^/]+)\/page\.tsx$/.exec(file ?? '')?.[1]
  return `assets/${page ? `page-${page}` : name}-[hash].js`
}

/** A running service for `npm run web:dev`. */
const service = process.env.MILLRACE_URL ?? 'http://127.0.0.1:4000'

export default defineConfig({
  root,
  plugins: [react(), tailwind(), packAssets()],
  // The service puts a fresh value in its place with every page.
  html: { cspNonce: 'MILLRACE_NONCE' },
  build: {
    outDir,
    emptyOutDir: true,
    // Nothing may be inlined: the content security policy of the page knows files only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: { output: { chunkFileNames: ({ facadeModuleId, name }) => chunkName(facadeModuleId, name) } },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/docs', '/health'].map((path) => [path, { target: service }])),
  },
})
