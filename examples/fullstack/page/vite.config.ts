import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// `npm run dev` serves the page as it is written, and hands requests to the server that `npm start` has started.
const paths = ['authentication', 'sign-ups', 'organisations', 'users', 'projects', 'events', 'explorer']
const server = `http://localhost:${process.env.PORT ?? 3030}`

export default defineConfig({
  plugins: [react()],
  build: { outDir: '../dist/page', emptyOutDir: true },
  server: { proxy: Object.fromEntries(paths.map((path) => [`/${path}`, server])) }
})
