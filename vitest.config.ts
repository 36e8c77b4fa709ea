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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Those that run side by side wait for file systems, and not for each other.
    maxConcurrency: 16,
  },
})
