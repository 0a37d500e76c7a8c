/** The user of the first start, with a public password and no more permissions than others. */
export const demo = { email: 'demo@example.com', name: 'Demo', password: 'read the atlas' }

export const demoLogin = { strategy: 'local', email: demo.email, password: demo.password }
