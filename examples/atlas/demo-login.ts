/** The user of the first day. Who may do no more than others who sign up: the password is no secret. */
export const demo = { email: 'demo@example.com', name: 'Demo', password: 'read the atlas' }

/** What logs the demo user in. */
export const demoLogin = { strategy: 'local', email: demo.email, password: demo.password }
