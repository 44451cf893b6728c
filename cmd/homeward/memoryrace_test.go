//go:build race

package main_test

// memoryLimit is what the service may take, in MB. The race detector multiplies it; a gigabyte that is read
// into memory is still noticed.
const memoryLimit = 4 * 150
