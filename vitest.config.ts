import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/peers/**', 'node_modules/**'],
    typecheck: {
      enabled: true,
      checker: 'tsc',
      include: ['src/**/*.test-d.ts', 'test/**/*.test-d.ts'],
      tsconfig: 'tsconfig.test.json',
    },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
