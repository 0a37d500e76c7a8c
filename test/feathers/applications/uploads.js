// An application on Express as many are: uploads by multer, a router, files and their list, a page for all that the browser routes itself.
import feathersExpress from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { MemoryService } from '@feathersjs/memory'
import multer from 'multer'
import serveIndex from 'serve-index'

const { default: express, errorHandler, json, notFound, rest, Router, serveStatic, urlencoded } = feathersExpress
const folder = new URL('public', import.meta.url).pathname

class Uploads {
  async create(_data, { file, query }) {
    const { originalname, mimetype, size, buffer } = file ?? {}
    return { query, name: originalname, type: mimetype, size, text: buffer?.toString() }
  }

  async get(id) {
    return { id, name: `${id}.txt` }
  }
}

function reports() {
  const router = Router()
  router.get('/:year', (request, response) => response.set('X-Report', 'yes').json({ year: request.params.year }))
  router.post('/', (request, response) => response.status(202).json({ received: request.body }))
  router.get('/broken/now', () => {
    throw new Error('The report is broken')
  })
  return router
}

export function create() {
  const app = express(feathers())
  app.use(json())
  app.use(urlencoded({ extended: true }))
  app.use(serveStatic(folder))
  app.use('/files', serveIndex(folder))
  app.configure(rest())
  app.use('notes', new MemoryService({ startId: 1, multi: true }))
  app.use(
    'uploads',
    multer({ storage: multer.memoryStorage(), limits: { fileSize: 1000 } }).single('file'),
    (request, _response, next) => {
      request.feathers.file = request.file
      next()
    },
    new Uploads(),
    (_request, response, next) => {
      response.set('X-Uploaded', String(Boolean(response.data.name)))
      next()
    }
  )
  app.use('/reports', reports())
  app.get('/page/*', (_request, response) => response.type('html').send('<h1>The page</h1>'))
  app.use(notFound())
  app.use(errorHandler({ logger: false }))
  return app
}
