//go:build race

package main_test

// memoryLimit is the most memory that the service may use, in MB. The race detector multiplies memory use. The limit
// still detects a gigabyte that is read into memory.
const memoryLimit = 4 * 150
