import { createApp } from './app'

createApp().then(app => app.listen({ port: app.settings.port, host: app.settings.host }))
