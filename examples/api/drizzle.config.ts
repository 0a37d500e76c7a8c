export default { dialect: 'postgresql', schema: './tables.ts' }
