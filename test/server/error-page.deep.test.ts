import Fastify from 'fastify'
import services from 'fastify-services'
import { memory } from 'fastify-services/memory'
import t from 'tap'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall, openContext } from '../support/chromium.js'

for (const colorScheme of ['light', 'dark'] as const)
  t.test(
    `a person goes from the start page to a missing record, and back: ${colorScheme}`,
    { skip: howToInstall },
    async (t) => {
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services, { notFound: true })
      app.service('messages', memory())
      const address = await app.listen({ port: 0 })
      const page = await (await openContext(t, { colorScheme, viewport: { width: 390, height: 700 } })).newPage()
      await page.goto(address)
      await checkAccessibility(t, page, 'the start page')
      await page.getByRole('main').getByRole('link', { name: '/messages' }).click()
      await page.getByText('[]').waitFor()
      await page.goto(`${address}/messages/7`)
      await page.getByRole('main').getByText("No record found for id '7'").waitFor()
      await checkAccessibility(t, page, 'the error page')
      const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
      t.equal(background, colorScheme === 'dark' ? 'rgb(16, 21, 28)' : 'rgb(244, 246, 248)')
      await page.getByRole('link', { name: 'Go to the start page' }).click()
      await page.getByRole('heading', { name: 'Services' }).waitFor()
    }
  )
