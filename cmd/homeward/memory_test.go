//go:build !race

package main_test

// memoryLimit is the most memory that the service may use, in MB.
const memoryLimit = 150
