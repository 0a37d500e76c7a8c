import Fastify from 'fastify'
import services from 'fastify-services'
import feathersPlugin from 'fastify-services/feathers'
import { feathers } from '@feathersjs/feathers'
import { koa, rest, errorHandler, parseAuthentication, bodyParser, cors, serveStatic } from '@feathersjs/koa'
import { memory } from '@feathersjs/memory'
import { AuthenticationService, JWTStrategy, authenticate } from '@feathersjs/authentication'
const f = koa(feathers())
f.set('authentication', { secret: 'x'.repeat(32), entity: null, authStrategies: ['jwt'] })
f.use(cors()); f.use(serveStatic('.')); f.use(errorHandler()); f.use(parseAuthentication()); f.use(bodyParser())
f.configure(rest())
f.use('messages', memory())
f.use('rooms/:room/things', { find: async (p) => ({ ...p }) })
const a = new AuthenticationService(f); a.register('jwt', new JWTStrategy()); f.use('authentication', a)
f.service('messages').hooks({ around: { create: [authenticate('jwt')] }, after: {find: [c => { c.http.headers = { 'x-a': '1' } }]} })
const app = Fastify({ logger: { level: 'warn' } })
await app.register(services, { errorHandler: { html: false } })
await app.register(feathersPlugin, { app: f })
f.use('late', { find: async () => 'late' })
f.service('messages').on('created', (m) => console.log('theirs', m.id))
app.service('messages').on('created', (m) => console.log('ours', m.id))
await app.ready()
await app.service('messages').create({ text: 'x' })
const j = async (o) => { const r = await app.inject(o); console.log(r.statusCode, r.body, r.headers['x-a']) }
await j('/messages'); await j('/messages/0'); await j('/messages/9'); await j('/late'); await j('/rooms/a%20b/things?x[y]=1')
await j({ method: 'POST', url: '/messages', payload: { text: 'y' } })
const token = await f.service('authentication').createAccessToken({ sub: '1' })
await j({ method: 'POST', url: '/messages', payload: { text: 'y' }, headers: { authorization: 'Bearer ' + token } })
try { f.use('later', { find: async () => 1 }) } catch (e) { console.log(e.message) }
await app.close()
