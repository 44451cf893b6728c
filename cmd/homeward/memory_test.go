//go:build !race

package main_test

// memoryLimit is the memory limit of the service in MB.
const memoryLimit = 150
