//go:build race

package main_test

// memoryLimit is the memory limit of the service in MB. The race detector multiplies it; a gigabyte read into memory
// would still be noticed.
const memoryLimit = 4 * 150
